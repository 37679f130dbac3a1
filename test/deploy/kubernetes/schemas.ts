import { plantFolder } from '../../workspace/planted-folder.ts';
import { runTool } from '../../workspace/run-tool.ts';
import type { KubernetesObject } from './render-kustomization.ts';

/** The module that has the kinds of each API, as classes with validators and as types. */
const modules: Record<string, string> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};

type Model = new (data: object) => { validate(): void };

/** What an object's schema has against its values, named by the object; `null` if nothing. Unknown fields pass. */
export async function findSchemaError(object: KubernetesObject): Promise<string | null> {
  const label = `${object.kind} ${object.metadata?.name}`;
  const module = modules[object.apiVersion];
  if (module === undefined) return `${label}: no schema for ${object.apiVersion}`;
  const models: Record<string, Model | undefined> = await import(module);
  const Model = models[object.kind];
  if (Model === undefined) return `${label}: ${object.apiVersion} has no such kind`;
  try {
    new Model(object).validate();
    return null;
  } catch (error) {
    return `${label}: ${(error as Error).message}`;
  }
}

/**
 * Fields that a schema does not have, which a server drops or refuses and the validators let pass: the compiler finds them, since a
 * literal may have no member that its type lacks.
 *
 * @returns the compiler's lines, each with the object's name in its file name
 */
export async function findUnknownFields(objects: KubernetesObject[]): Promise<string[]> {
  using folder = plantFolder(
    objects.map((object, index) => ({
      path: `test/${object.kind}-${object.metadata.name}-${index}.ts`,
      text: [
        `import type { I${object.kind} } from '${modules[object.apiVersion]}';`,
        `export const object = ${JSON.stringify(object, null, 2)} satisfies I${object.kind};`,
      ].join('\n'),
    })),
  );
  const { output } = await runTool('tsc', ['--project', folder.path, '--pretty', 'false'], folder.path);
  return output.split('\n').filter((line) => line.includes('error TS'));
}
