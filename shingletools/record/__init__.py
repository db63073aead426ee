"""Records, as bytes and as values, and the stages that process them. Imports the kernel and `system`.

wire              records on lines, payloads, recipes
json_members      the members of a record in the bytes of its line
json_faults       why a line is not JSON
python_values     values of Python as JSON
labels            labels of documents, which say what belongs together
command_registry  the commands by name, with the `CommandInfo` of each
document_format   the interface of an input format: files become documents, and documents become records
record_batch      records on several lines as columns: `read_batch` makes a `RecordBatch` by a `Schema`
collector         the interface of collectors, which take all records, and yield events: `Collector`
events            what steps give beside batches: lines, bad records, messages, figures
stage             the interface of commands: `Stage`, `Filter`, `Command`
word_offsets      the places of words in a text, as `canon --offsets` writes them
tokenized_text    the words of a record, and their places
field_names       the names of the fields of ids and texts, which records carry
text_fields       texts in several fields that are taken as one, and counts of the records that have each
filter_line       the line that a filter makes of a record: the definition, of which `kernel/splice.c` does many
filter_chain      runs the lines of batches through adjacent filters: `Chain`
error_hints       hints for bad records with a plain fault, such as another format
package_versions  versions of packages, for recipes
"""
