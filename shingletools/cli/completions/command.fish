# Completes COMMAND in fish. Each row: options, or a place; the argument's name and what it may be, or -; the help.

# The place of the word among those that are no options; given are the options that take the next word
function _shingletools_place
    set -l place 1
    set -l before
    set -l rest
    for word in (commandline -opc)[2..-1]
        if set -q before[1]
            set before
        else if not set -q rest[1]; and string match -q -- '-*' $word
            contains -- $word $argv; and set before $word
            test $word = --; and set rest yes
        else
            set place (math $place + 1)
        end
    end
    echo $place
end

complete -c COMMAND -e
complete -c COMMAND -f
set -l rows (string split \n -- 'ROWS')
set -l taking (string match -v -r -- '\t(-|=.*)\t' $rows | string match -r -- '^-[^\t]*' | string split ' ')
set -l numbered (count (string match -r -- '^[0-9]' $rows))
for row in $rows
    set -l columns (string split \t -- $row)
    set -l words (string split ' ' -- $columns[2])
    set -l flags -d $columns[3] -k -a (string replace '<file>' '(__fish_complete_path (commandline -ct))' -- "$words[2..-1]" \
        | string replace '<dir>' '(__fish_complete_directories)')
    for option in (string split ' ' -- $columns[1])
        switch $option
            case '--*'
                set -a flags -l (string sub -s 3 -- $option)
            case '-*'
                set -a flags -s (string sub -s 2 -- $option)
            case '\*'
                set -a flags -n "test (_shingletools_place $taking) -gt $numbered"
            case '*'
                set -a flags -n "test (_shingletools_place $taking) -eq $option"
        end
    end
    string match -q -r -- '^(-$|=)' $columns[2]; or contains -- -n $flags; or set -a flags -x
    complete -c COMMAND $flags
end
