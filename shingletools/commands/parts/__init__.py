"""parts: documents become their parts, and parts become documents.

command      the options
spec         what is put together
part_places  where parts are
headings     sections, which headings begin
apart        a document's parts as records
together     the way back
ordinary     parts that the way back need not parse
"""
