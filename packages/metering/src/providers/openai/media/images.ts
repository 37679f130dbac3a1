import { readCount } from '@agp/pricing';
import { asArray, asObject } from '../../../json/json-shapes.ts';
import { collectText } from '../../collect-text.ts';
import type { Operation } from '../../operation.ts';
import { asFigure } from '../as-figure.ts';
import { describeOperation } from '../describe-operation.ts';
import { EventStreamReader } from '../event-stream-reader.ts';
import { readImageFigures } from './image-figures.ts';

/** Requests come as JSON, or as forms with the images in them. */
function describeImages(name: string, event: string): Operation {
  return describeOperation({
    name,
    writesText: false,
    input: ['prompt'],
    isStream: ({ stream }) => stream === true || stream === 'true',
    readToldUsage: ({ n }) => ({ outputImages: readCount(asFigure(n ?? 1)) ?? 0 }),
    readFigures: readImageFigures,
    readText: (answer) => collectText(asArray(asObject(answer).data).map((image) => asObject(image).revised_prompt)),
    createStreamReader: () => new EventStreamReader({ endings: [event], readFigures: readImageFigures }),
  });
}

export const imageGenerations = describeImages('images.generations', 'image_generation.completed');
export const imageEdits = describeImages('images.edits', 'image_edit.completed');
export const imageVariations = describeImages('images.variations', 'image_variation.completed');
