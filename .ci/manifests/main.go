// Reads the folders named on the command line as `kubectl apply -f FOLDER` does: every file with one of its endings. What it holds is
// read as the server does, strictly: an unknown or misspelt field, a value of another type and a kind that does not exist are errors,
// and so is a name that two objects of a kind have. Prints the kinds and names.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func decoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme,
		core.AddToScheme, networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// filesOf gives the files that `kubectl apply -f` takes from a folder, and from none below it.
func filesOf(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var files []string
	for _, entry := range entries {
		ending := filepath.Ext(entry.Name())
		if !entry.IsDir() && (ending == ".yaml" || ending == ".yml" || ending == ".json") {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	if err == nil && len(files) == 0 {
		err = errors.New("there is nothing to apply")
	}
	return files, err
}

func check(decoder runtime.Decoder, name string, known map[string]bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return err
		}
		named, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		title := kind.Kind + " " + named.GetName()
		if known[title] {
			return fmt.Errorf("%s is there twice", title)
		}
		known[title] = true
		fmt.Println(title)
	}
}

func main() {
	decoder, failed := decoder(), false
	report := func(name string, err error) {
		if err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
	}
	for _, folder := range os.Args[1:] {
		files, err := filesOf(folder)
		report(folder, err)
		known := map[string]bool{}
		for _, name := range files {
			report(name, check(decoder, name, known))
		}
	}
	if failed {
		os.Exit(1)
	}
}
