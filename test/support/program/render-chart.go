// Renders a Helm chart with Helm's own parts (text/template and sprig), without Helm, which no package
// registry of this machine's kind has. It knows what charts of plain objects use: include, tpl, toYaml,
// required, fail and .Files.Get. Arguments: the folder of the chart, a file of values (JSON, put over the
// chart's own), the name of the release. It prints {"path": "text"} as JSON; a refusal ends it with 1.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

// Files are those of the chart beside its templates.
type Files struct{ folder string }

// Get answers the text of a file; empty where it is not there, as in Helm.
func (files Files) Get(name string) string {
	text, _ := os.ReadFile(filepath.Join(files.folder, name))
	return string(text)
}

// Chart has the fields of Chart.yaml that templates ask for.
type Chart struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	AppVersion string `json:"appVersion"`
}

func main() {
	folder, overrides, release := os.Args[1], os.Args[2], os.Args[3]
	var chart Chart
	parse(filepath.Join(folder, "Chart.yaml"), &chart)
	values, given := object{}, object{}
	parse(filepath.Join(folder, "values.yaml"), &values)
	parse(overrides, &given)
	merge(values, given)
	scope := object{
		"Chart":   chart,
		"Values":  values,
		"Files":   Files{folder},
		"Release": object{"Name": release, "Namespace": "default", "Service": "Helm"},
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap()).Funcs(functions(all))
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		check(err)
		_, err = all.New(filepath.Base(name)).Parse(string(text))
		check(err)
	}
	rendered := map[string]string{}
	for _, name := range names {
		if base := filepath.Base(name); !strings.HasPrefix(base, "_") {
			rendered[base] = execute(all, base, scope)
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func functions(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, scope interface{}) string { return execute(all, name, scope) },
		"tpl": func(text string, scope interface{}) (string, error) {
			copied, err := all.Clone()
			check(err)
			inner, err := copied.New("tpl").Parse(text)
			check(err)
			return execute(inner, "tpl", scope), nil
		},
		"toYaml": func(value interface{}) string {
			text, err := yaml.Marshal(value)
			check(err)
			return strings.TrimSuffix(string(text), "\n")
		},
		"required": func(reason string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", reason)
			}
			return value, nil
		},
	}
}

// As Helm does, it shows nothing for a value that is not there.
func execute(all *template.Template, name string, scope interface{}) string {
	var text strings.Builder
	check(all.ExecuteTemplate(&text, name, scope))
	return strings.ReplaceAll(text.String(), "<no value>", "")
}

func merge(into, from object) {
	for key, value := range from {
		inner, isObject := value.(object)
		if old, wasObject := into[key].(object); isObject && wasObject {
			merge(old, inner)
		} else {
			into[key] = value
		}
	}
}

func parse(path string, into interface{}) {
	text, err := os.ReadFile(path)
	check(err)
	check(yaml.Unmarshal(text, into))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
