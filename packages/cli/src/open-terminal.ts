import { once } from 'node:events';
import { styleText } from 'node:util';
import { toLinesText } from '@agp/core/text';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';
/** Text in a style, where the output has colours. */
export type Paint = (style: Style | undefined, text: string) => string;

export interface Terminal {
  paint: Paint;
  /** Results. Resolves once there is room for more. */
  print(text: string): Promise<void>;
  /** Everything that is not a result, on standard error. */
  note(text: string): void;
}

/** Standard output and standard error. Only terminals get colours, unless `NO_COLOR` or `FORCE_COLOR` says otherwise or `colour` is false. */
export function openTerminal(colour: boolean): Terminal {
  return {
    paint: (style, text) => (colour && style !== undefined ? styleText(style, text, { stream: process.stdout }) : text),
    async print(text) {
      if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
    },
    note(text) {
      process.stderr.write(`${toLinesText(text)}\n`);
    },
  };
}
