"""The page of `simshow --html`: pairs side by side, and groups as strips.

In the order of the work:

pair_graph        the groups that pairs connect
shown_ids         ids as they are shown
utf16_places      places of passages, as a browser counts them
page_shell        the page without its data, and its policy
pair_origin       the commands and the corpus of the pairs
made_by_pipeline  reads the pipeline of --made-by, and checks pairs against it
page              makes the page from comparisons and groups
run_page          the page of `simshow --runs`: documents with their runs marked
"""
