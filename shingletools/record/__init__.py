"""What a record is, as bytes and as a value, and what a stage makes of it. Imports the kernel, `system` and `cli`.

wire              records on lines, payloads, recipes
json_members      a record as bytes: where its members stand, and values as JSON spells them
json_faults       why a line is not a record
labels            values of a field of labels
command_registry  the commands, and what each says of itself: `CommandInfo`
document_format   what a format is to the driver: how bytes of files become documents, and these become records
record_batch      records of several lines as columns: `read_batch` makes a `RecordBatch` by a `Schema`
collector         what takes all records: `Collector`, its `CollectorContext`, and what it gives: `Taken`, `Written`
stage             what a command is to the code that runs it: `Stage`, `Filter`, `Command`
word_offsets      where words stand in a text, as `canon --offsets` writes it
tokenized_text    the words of a record, and their places
field_names       the names of the fields of ids and texts, which records carry
text_fields       texts in several fields that are taken as one, and how many records have each
filter_line       the line that a filter makes of a record: the definition; `kernel/splice.c` does the same with many
filter_chain      lines through several filters in one process
error_hints       what is plainly wrong with a bad record, such as another format or stages in the wrong order
package_versions  versions of packages, for recipes
"""
