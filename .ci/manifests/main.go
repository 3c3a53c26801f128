// Reads the Kubernetes manifests named on the command line as the server does, strictly: an unknown or misspelt field, a value of
// another type and a kind that does not exist are errors. Prints the kinds and names.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

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

func check(decoder runtime.Decoder, name string) error {
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
		fmt.Println(kind.Kind, named.GetName())
	}
}

func main() {
	decoder, failed := decoder(), false
	for _, name := range os.Args[1:] {
		if err := check(decoder, name); err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
	}
	if failed {
		os.Exit(1)
	}
}
