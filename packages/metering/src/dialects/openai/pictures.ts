import { asObject, asText, type JsonObject } from '../../json/members.ts';
import { countSquares, fitLonger, type Pixels } from '../../media/pixels.ts';
import { type MediaPart, type MediaRules, readDataUrl, tokensOfPageText } from '../media.ts';

/** A token and so much for each square of 32 pixels, of a picture that is made to fit into `most` of them. */
interface Squares {
  times: number;
  /** By `detail`; what is not listed is `auto`. */
  most: Readonly<Record<string, number>> & { auto: number };
}

/** So many tokens for a picture, and for each tile of 512 pixels of it that fine reading looks at. */
interface Tiles {
  base: number;
  tile: number;
}

const mini = (times: number): Squares => ({ times, most: { auto: 1_536 } });

/** https://developers.openai.com/api/docs/guides/images-vision; the first that a model matches, and the last for all later ones. */
const rules: readonly (readonly [model: RegExp, Squares | Tiles])[] = [
  [/^gpt-(?:4\.1|5)-nano/, mini(2.46)],
  [/^gpt-(?:4\.1|5)-mini/, mini(1.62)],
  [/^o4-mini/, mini(1.72)],
  [/^gpt-5\.(?:[1-3]|4-(?:mini|nano))/, mini(1.2)],
  [/^gpt-5\.4/, { times: 1.2, most: { auto: 2_500, original: 10_000, low: 256 } }],
  [/^gpt-5\.5/, { times: 1.2, most: { auto: 10_000, high: 2_500, low: 256 } }],
  [/^gpt-4o-mini/, { base: 2_833, tile: 5_667 }],
  [/^o[13]/, { base: 75, tile: 150 }],
  [/^computer/, { base: 65, tile: 129 }],
  [/^(?:chat)?gpt-4/, { base: 85, tile: 170 }],
  [/^gpt-5(?!\.)/, { base: 70, tile: 140 }],
  [/./, { times: 1.2, most: { auto: 30_000, high: 2_500, low: 256 } }],
];

const tiled = { width: 2_048, height: 768 };

/** Into 2,048 pixels, and the shorter side into 768. */
function countTiles(pixels: Pixels): number {
  const fitted = fitLonger(pixels, 2_048);
  const share = Math.min(1, 768 / Math.min(fitted.width, fitted.height));
  return countSquares({ width: fitted.width * share, height: fitted.height * share }, 512);
}

function countPicture(model: string, pixels: Pixels | null, detail: string | null): number {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '');
  const [, rule] = rules.find(([names]) => names.test(name)) ?? rules[rules.length - 1] ?? [];
  if (rule === undefined) return 0;
  if ('base' in rule) return rule.base + (detail === 'low' ? 0 : rule.tile * countTiles(pixels ?? tiled));
  // Of models that are not OpenAI's it is not known what `detail` does.
  const own = /^(?:chat)?(?:gpt|o\d|computer)/.test(name) ? detail : null;
  const most = (own !== null && Object.hasOwn(rule.most, own) && rule.most[own]) || rule.most.auto;
  return Math.ceil(rule.times * (pixels ? Math.min(countSquares(pixels, 32), most) : most));
}

function find(part: JsonObject): MediaPart | null {
  const { type, image_url: image, input_audio: sound, file, detail } = part;
  if (type === 'image_url' || type === 'input_image' || type === 'computer_screenshot') {
    const given = asObject(image);
    const data = readDataUrl(asText(image) ?? asText(given.url));
    return { kind: 'picture', data, detail: asText(detail) ?? asText(given.detail) };
  }
  if (type === 'input_audio') return { kind: 'sound', data: asText(asObject(sound).data) };
  const held = type === 'file' ? asObject(file) : type === 'input_file' ? part : null;
  const data = readDataUrl(asText(held?.file_data), ['application/pdf']);
  return data === null ? null : { kind: 'pages', data, detail: asText(detail) };
}

export const media: MediaRules = {
  find,
  countPicture,
  // A page is read as finely as `high` reads a picture.
  countPage: (model, detail) => tokensOfPageText + countPicture(model, null, detail ?? 'high'),
  // https://developers.openai.com/api/docs/guides/realtime-costs: a token for 100 milliseconds.
  secondOfSound: 10,
  secondOfVideo: 300,
};
