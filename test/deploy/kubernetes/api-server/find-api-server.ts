import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ApiServerFiles {
  apiServer: string;
  etcd: string;
}

/**
 * Where `kube-apiserver` and `etcd` are: in `KUBEBUILDER_ASSETS`, where setup-envtest puts them, or on the PATH. Null without one of
 * them: no registry package brings them.
 */
export function findApiServer(environment: NodeJS.ProcessEnv): ApiServerFiles | null {
  const folders = [environment.KUBEBUILDER_ASSETS ?? '', ...(environment.PATH ?? '').split(delimiter)];
  const find = (name: string) =>
    folders
      .filter(Boolean)
      .map((folder) => join(folder, name))
      .find(isExecutable);
  const [apiServer, etcd] = [find('kube-apiserver'), find('etcd')];
  return apiServer && etcd ? { apiServer, etcd } : null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
