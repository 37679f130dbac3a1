import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { Logger } from '../logger.ts';
import { commonFields } from './config-fields.ts';
import { type FollowedFile, followSettingFile } from './follow-setting-file.ts';
import { ConfigError, describeIssue, type SettingFiles, toVariable } from './load-config.ts';

/** @throws ConfigError naming the variable, never what the file holds */
function readAgain<Value>(key: string, file: string, field: z.ZodType<Value>): Value {
  const variable = `${toVariable(key)}_FILE`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${variable}: cannot read ${file}`);
  }
  // It may be about to be written.
  if (text === '') throw new ConfigError(`${variable}: ${file} is empty`);
  const parsed = field.safeParse(text, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${variable}: ${parsed.error.issues[0]?.message}`);
}

type Config<Key extends string, Value> = Partial<Record<Key, Value>> & { files?: SettingFiles };

/** What reads a URL anew for each connection if a file holds it; while that is missing or wrong, what it was before. */
export function readUrlAgain<Key extends 'databaseUrl' | 'natsUrl' | 'redisUrl'>(
  config: Record<Key, string> & { files?: SettingFiles },
  key: Key,
  logger: Logger,
): string | (() => string) {
  const file = config.files?.[key];
  if (file === undefined) return config[key];
  let known: string = config[key];
  let told = '';
  return () => {
    try {
      known = readAgain(key, file, commonFields[key]);
      told = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== told) logger.warn({ error: message }, 'a file is refused: what it held before counts');
      told = message;
    }
    return known;
  };
}

/**
 * Keeps a setting of `config` as its file has it. A value that is refused is told, without quoting it, and the one before counts.
 * @param onChange takes each value that differs from the last, also one that came since the setting was read at the start
 */
export function followSetting<Key extends string, Value>(
  config: Config<Key, Value>,
  key: Key,
  field: z.ZodType<Value>,
  logger: Logger,
  onChange: (value: Value) => void = () => {},
): FollowedFile {
  const file = config.files?.[key];
  let known = JSON.stringify(config[key]);
  const read = () => {
    if (file === undefined) return;
    const value = readAgain(key, file, field);
    const text = JSON.stringify(value);
    if (text === known) return;
    Object.assign(config, { [key]: value });
    onChange(value);
    known = text;
    logger.info({ variable: `${toVariable(key)}_FILE` }, 'a changed setting is used from now on');
  };
  const followed = followSettingFile(file, read, ({ message: error }) =>
    logger.warn({ error }, 'a file is refused: what it held before counts'),
  );
  followed.look();
  return followed;
}
