import { hostname } from 'node:os';
import { noteProviderKeys, type Pool } from '@agp/db';
import { every, followSettingFile, type Logger } from '@agp/runtime';
import type { Provider } from './provider.ts';
import type { ProviderKey } from './provider-key.ts';

/** Between two notes of which keys are there and used, in milliseconds. */
const noteMs = 60_000;

/** Endpoints may share one. */
function listKeys(endpoints: Iterable<Provider>): { provider: string; key: ProviderKey }[] {
  const keys = new Map<ProviderKey, string>();
  for (const { id, apiKey } of endpoints) if (apiKey !== null) keys.set(apiKey, id);
  return [...keys].map(([key, provider]) => ({ provider, key }));
}

/** Reads keys that files hold again once they change; a file that is refused leaves the key, and is told without quoting it. */
export function followProviderKeys(providers: Iterable<Provider>, logger: Logger): Disposable {
  const followed = new DisposableStack();
  for (const { key } of listKeys(providers)) {
    if (key.file === null) continue;
    const read = () => {
      const before = key.use.fingerprint;
      key.readAgain();
      const { fingerprint } = key.use;
      if (fingerprint !== before) logger.info({ source: key.source, fingerprint }, "a provider's key has changed");
    };
    const file = followSettingFile(key.file, read, ({ message: error }) =>
      logger.warn({ error }, "a provider's key is refused: the one before is sent"),
    );
    followed.use(file).look();
  }
  return followed;
}

/** Notes in storage which keys this proxy has and used: at once, every minute, and at the end. */
export function keepNotingKeys(
  providers: Iterable<Provider>,
  pool: Pool,
  onFailure: (error: Error) => void,
): () => Promise<void> {
  const keys = listKeys(providers);
  if (keys.length === 0) return async () => {};
  const note = async () => {
    const uses = keys.flatMap(({ provider, key }) => key.listUses().map((use) => ({ provider, key, use })));
    const noted = uses.map(({ provider, key: { source }, use }) => ({ provider, source, ...use }));
    for (const { use } of uses) use.isUsed = false;
    try {
      await noteProviderKeys(pool, hostname(), noted);
    } catch (error) {
      for (const [index, { use }] of uses.entries()) use.isUsed ||= noted[index]?.isUsed === true;
      throw error;
    }
  };
  const stop = every(noteMs, note, onFailure);
  void note().catch(onFailure);
  return async () => {
    await stop();
    await note().catch(onFailure);
  };
}
