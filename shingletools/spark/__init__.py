"""simspark: the pipeline on Apache Spark."""
