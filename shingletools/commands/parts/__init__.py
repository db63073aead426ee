"""parts: documents become their parts, and parts become documents.

command      the options
spec         the specification of --together
part_places  the places of parts in a text
headings     sections, which headings begin
apart        makes the records of parts
together     makes documents from their parts
ordinary     reads ordinary parts without parsing them
"""
