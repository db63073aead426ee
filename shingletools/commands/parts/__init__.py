"""parts: documents become their parts, and parts become documents.

command           the options
spec              the specification of --together
part_places       the places of parts in a text
headings          sections, which headings begin
part_records      makes the records of parts
part_joining      makes documents from their parts
"""
