import { type Stats, unwatchFile, watchFile } from 'node:fs';

/** Between two looks, in milliseconds: by the path, since Kubernetes puts another file behind it. */
const lookMs = 5_000;

export interface FollowedFile extends Disposable {
  /** What was read before holds, since the file cannot be read or is wrong. */
  readonly isRefused: boolean;
  look(): void;
}

/** Reads a file of settings again once it changes; without one it does nothing. @param read throws for a file that it refuses */
export function followSettingFile(
  file: string | undefined,
  read: () => void,
  onRefused: (error: Error) => void,
): FollowedFile {
  let isRefused = false;
  const look = () => {
    try {
      read();
      isRefused = false;
    } catch (error) {
      isRefused = true;
      onRefused(error as Error);
    }
  };
  const compare = (now: Stats, before: Stats) => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) look();
  };
  if (file) watchFile(file, { interval: lookMs, persistent: false }, compare);
  return {
    get isRefused() {
      return isRefused;
    },
    look,
    [Symbol.dispose]: () => file && unwatchFile(file, compare),
  };
}
