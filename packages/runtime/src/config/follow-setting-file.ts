import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Between two looks, in milliseconds: by the path, since Kubernetes puts another file behind it. */
const lookMs = 1_000;

export interface FollowedFile extends Disposable {
  /** What was read before holds, since the file cannot be read or is wrong. */
  readonly isRefused: boolean;
  look(): void;
}

const away = 'away';
const stampOf = (stats: Stats | undefined) => (stats ? `${stats.mtimeMs} ${stats.ino} ${stats.size}` : away);

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
  let timer: NodeJS.Timeout | undefined;
  if (file) {
    let seen = stampOf(statSync(file, { throwIfNoEntry: false }));
    const compare = async () => {
      const now = await stat(file).then(stampOf, () => away);
      if (now === seen) return;
      seen = now;
      look();
    };
    timer = setInterval(() => void compare(), lookMs).unref();
  }
  return {
    get isRefused() {
      return isRefused;
    },
    look,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
