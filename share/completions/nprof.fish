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

complete -c nprof -n __fish_use_subcommand -a '(__nprof_commands)'
complete -c nprof -n '__fish_seen_subcommand_from plugins' -f -a 'install list disable enable remove (nprof plugins --names 2>/dev/null)'
complete -c nprof -n '__fish_seen_subcommand_from new; and test (count (commandline -opc)) -eq 2' -f -a 'decoder analyzer sink'
complete -c nprof -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__nprof_flags)'
complete -c nprof -s d -l decoder -x -a '(__nprof_component decoder)'
complete -c nprof -s a -l analyzer -x -a '(__nprof_component analyzer)'
complete -c nprof -n 'not __fish_seen_subcommand_from view capture' -s s -l sink -x -a '(__nprof_component sink)'
