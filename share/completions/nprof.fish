# SPDX-License-Identifier: Apache-2.0
# fish completion for nprof.  Everything comes from nprof itself: commands and options from
# its help, names and options of components from `nprof plugins`.

function __nprof_commands
    nprof help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __nprof_flags
    set -l command (commandline -opc)[2]
    nprof $command --help-all 2>/dev/null |
        sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\)[^ ]*  *\(.*\)/\2\t\3/p'
end

# NAME[:KEY=VALUE,...] of a component of kind $argv[1]
function __nprof_component
    set -l kind $argv[1]
    set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '')
    if not string match -q '*:*' -- $word
        nprof plugins --names $kind 2>/dev/null
        return
    end
    set -l name (string replace -r ':.*' '' -- $word)
    set -l before (string match -r '^.*[:,]' -- $word)
    set -l last (string replace -r '^.*[:,]' '' -- $word)
    nprof plugins --options $kind/$name 2>/dev/null | while read -l line
        set -l field (string split \t -- $line)
        test "$field[2]" = bool; and set field[3] 'yes|no'
        if not string match -q '*=*' -- $last
            printf '%s\t%s\n' $before$field[1]= $field[4]
        else if test "$field[1]" = (string replace -r '=.*' '' -- $last)
            if contains -- $field[2] bool choice
                for value in (string split '|' -- $field[3])
                    printf '%s\n' $before$field[1]=$value
                end
            end
        end
    end
end

# The values of the option before the word, where the help of its command lists them.
function __nprof_values
    set -l words (commandline -opc)
    switch $words[-1]
        case --only
            set -l before (commandline -ct | string replace -r '[^,]*$' '')
            printf '%s\n' $before(nprof report --tables 2>/dev/null | string replace -r ' .*' '')
        case --style
            nprof plugins --names sink 2>/dev/null | string replace -rf '^report-' ''
        case '--*'
            set -l listed (nprof $words[2] --help-all 2>/dev/null |
                string replace -rf "^  (-[a-z], )?$words[-1]=[A-Z]* +" '' |
                string replace -r ';.*' '' | string replace -ra ' *\\([^)]*\\)' '' |
                string replace -r '^.*: ' '' | string replace ' or ' ', ' | string split ', ')
            string match -qrv '^[a-z0-9-]*$' -- $listed; or printf '%s\n' $listed
    end
end

# The names that a command takes before its files.
function __nprof_names
    switch (commandline -opc)[2]
        case new
            printf '%s\n' decoder analyzer sink
        case help
            __nprof_commands
        case baseline
            printf '%s\n' list save rm
        case profiles
            printf '%s\n' list rm rename tag
        case answers
            nprof answers 2>/dev/null | string replace -r ' .*' ''
        case ask
            nprof ask --list 2>/dev/null | string replace -rf '^\| `([a-z]*)`.*' '$1'
    end
end

complete -c nprof -n __fish_use_subcommand -a '(__nprof_commands)'
complete -c nprof -n '__fish_seen_subcommand_from plugins' -f -a 'install list disable enable remove (nprof plugins --names 2>/dev/null)'
complete -c nprof -n 'test (count (commandline -opc)) -eq 2' -a '(__nprof_names)'
complete -c nprof -n '__fish_seen_subcommand_from new profiles baseline help; and test (count (commandline -opc)) -eq 2' -f
complete -c nprof -n 'string match -q -- "--*" (commandline -opc)[-1]' -f -a '(__nprof_values)'
complete -c nprof -n 'string match -q -- "n_*" (commandline -ct)' -f -a '(nprof profiles list 2>/dev/null | string match -r "^n_[0-9a-f]*")'
complete -c nprof -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__nprof_flags)'
complete -c nprof -s d -l decoder -x -a '(__nprof_component decoder)'
complete -c nprof -s a -l analyzer -x -a '(__nprof_component analyzer)'
complete -c nprof -n 'not __fish_seen_subcommand_from view capture' -s s -l sink -x -a '(__nprof_component sink)'
