package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Completion returns the completion script of a program for bash, zsh or fish. It completes
// commands and flags, and leaves files to the shell.
func Completion(app *kong.Application, shell string) string {
	all := commandsOf(app.Node, "")
	switch shell {
	case "bash":
		return bash(app.Name, all)
	case "zsh":
		return zsh(app.Name, all)
	case "fish":
		return fish(app.Name, all)
	}
	panic("manual: no completion for " + shell)
}

// patterns returns the paths of all commands as patterns of a shell's case.
func patterns(all []command, between string) string {
	var list []string
	for _, c := range all[1:] {
		list = append(list, quoted(c.path))
	}
	return strings.Join(list, between)
}

func bash(name string, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for bash. Use: source <(%[1]s completion bash)\n_%[1]s() {\n", name)
	b.WriteString("  local at='' words='' w\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$at $w\" in\n")
	fmt.Fprintf(&b, "      %s) at=\"$at $w\" ;;\n    esac\n  done\n  case \"$at\" in\n", patterns(all, "|"))
	for _, c := range all {
		var words []string
		for _, w := range c.words {
			words = append(words, w.word)
		}
		fmt.Fprintf(&b, "    %s) words=%s ;;\n", quoted(c.path), quoted(strings.Join(words, " ")))
	}
	b.WriteString("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n")
	fmt.Fprintf(&b, "complete -o default -F _%s %[1]s\n", name)
	return b.String()
}

func zsh(name string, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %s\n# Completion of %[1]s for zsh. Use: source <(%[1]s completion zsh)\n_%[1]s() {\n", name)
	b.WriteString("  local at='' w\n  local -a items\n  for w in ${words[2,CURRENT-1]}; do\n    case \"$at $w\" in\n")
	fmt.Fprintf(&b, "      (%s) at=\"$at $w\" ;;\n    esac\n  done\n  case \"$at\" in\n", patterns(all, "|"))
	for _, c := range all {
		var items []string
		for _, w := range c.words {
			items = append(items, quoted(w.word+":"+w.help))
		}
		fmt.Fprintf(&b, "    (%s) items=(%s) ;;\n", quoted(c.path), strings.Join(items, " "))
	}
	b.WriteString("  esac\n  _describe command items || _files\n}\n")
	fmt.Fprintf(&b, "compdef _%s %[1]s\n", name)
	return b.String()
}

func fish(name string, all []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %s for fish. Use: %[1]s completion fish | source\nfunction __%[1]s_at\n", name)
	b.WriteString("    set -l at ''\n    for w in (commandline -opc)[2..]\n        switch \"$at $w\"\n")
	fmt.Fprintf(&b, "            case %s\n                set at \"$at $w\"\n        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\n", patterns(all, " "))
	for _, c := range all {
		for _, w := range c.words {
			flag, long := strings.CutPrefix(w.word, "--")
			fmt.Fprintf(&b, "complete -c %s -n %s", name, quoted("__"+name+"_at "+quoted(c.path)))
			switch {
			case !long:
				fmt.Fprintf(&b, " -f -a %s", quoted(w.word))
			case w.value:
				fmt.Fprintf(&b, " -r -l %s", flag)
			default:
				fmt.Fprintf(&b, " -l %s", flag)
			}
			fmt.Fprintf(&b, " -d %s\n", quoted(w.help))
		}
	}
	return b.String()
}

// quoted returns a word in double quotes, with what shells expand in them escaped.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
