package tableset

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Image returns the reference of the image volume of that name in the first pod template that has one, or nothing.
func Image(objects []*unstructured.Unstructured, volume string) string {
	for _, v := range imageVolumes(objects, volume) {
		return reference(v)
	}
	return ""
}

// Swap replaces, in every pod template, the image volume of that name by the ConfigMap, with one item for each key that
// puts its content back at its path. It changes the objects it is given, and in them nothing but the source of these
// volumes. It returns the image the chart rendered and the number of volumes replaced. A volume of another image than the
// first keeps it: the ConfigMap does not hold its tables.
func Swap(objects []*unstructured.Unstructured, volume, configMap string, keys map[string]string) (image string, swapped int) {
	image = Image(objects, volume)
	for _, v := range imageVolumes(objects, volume) {
		if reference(v) != image {
			continue
		}
		delete(v, "image")
		v["configMap"] = map[string]any{"name": configMap, "items": items(keys)}
		swapped++
	}
	return image, swapped
}

// Stamp writes the digest of a published ConfigMap's content onto every pod template that mounts it, so that other tables
// roll the pods: what a pod has mounted changes beneath it, and nothing in it looks again. It changes the objects it is
// given and returns how many.
func Stamp(objects []*unstructured.Unstructured, configMap *unstructured.Unstructured) (int, error) {
	stamped := 0
	for _, object := range objects {
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "template", "spec", "volumes")
		volumes, _ := value.([]any)
		if !slices.ContainsFunc(volumes, func(v any) bool { return mounts(v, configMap.GetName()) }) {
			continue
		}
		content := configMap.GetAnnotations()[AnnotationContent]
		if err := unstructured.SetNestedField(object.Object, content, "spec", "template", "metadata", "annotations", AnnotationContent); err != nil {
			return stamped, fmt.Errorf("mark the pods of %s %s with their tables: %w", object.GetKind(), object.GetName(), err)
		}
		stamped++
	}
	return stamped, nil
}

// mounts reports whether a volume is the ConfigMap.
func mounts(volume any, configMap string) bool {
	v, _ := volume.(map[string]any)
	source, _ := v["configMap"].(map[string]any)
	return source["name"] == configMap
}

// items lists the keys in their order, so that the same tables always give the same pod template.
func items(keys map[string]string) []any {
	list := make([]any, 0, len(keys))
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		list = append(list, map[string]any{"key": key, "path": keys[key]})
	}
	return list
}

// imageVolumes returns the volumes of that name which name an image. The maps are those of the objects.
func imageVolumes(objects []*unstructured.Unstructured, volume string) []map[string]any {
	var found []map[string]any
	for _, object := range objects {
		for _, spec := range podSpecs(object) {
			volumes, _ := spec["volumes"].([]any)
			for _, item := range volumes {
				if v, _ := item.(map[string]any); v["name"] == volume && reference(v) != "" {
					found = append(found, v)
				}
			}
		}
	}
	return found
}

func reference(volume map[string]any) string {
	image, _ := volume["image"].(map[string]any)
	text, _ := image["reference"].(string)
	return text
}

// podSpecs returns the pod specs of an object, wherever a workload has one: a Pod, what has a pod template, a CronJob.
func podSpecs(object *unstructured.Unstructured) []map[string]any {
	var found []map[string]any
	for _, path := range [][]string{
		{"spec"}, {"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"},
	} {
		value, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		if spec, ok := value.(map[string]any); ok {
			found = append(found, spec)
		}
	}
	return found
}
