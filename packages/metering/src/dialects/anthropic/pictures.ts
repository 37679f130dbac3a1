import { asObject, asText } from '../../json/members.ts';
import { countSquares, fitLonger } from '../../media/pixels.ts';
import { type MediaRules, tokensOfPageText } from '../media.ts';

/** Models that see no finer than 1,568 pixels a side; those since Opus 4.7 see 2,576. */
const coarse = /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@.]|$))/;

/** https://platform.claude.com/docs/en/build-with-claude/vision: a token for each square of 28 pixels, of a picture that is made to fit. */
export const media: MediaRules = {
  find(part) {
    const source = asObject(part.source);
    const data = source.type === 'base64' ? asText(source.data) : null;
    if (part.type === 'image') return { kind: 'picture', data };
    const isPdf = part.type === 'document' && source.media_type === 'application/pdf';
    return isPdf && data !== null ? { kind: 'pages', data } : null;
  },
  countPicture(model, pixels) {
    const [longest, most] = coarse.test(model) ? [1_568, 1_600] : [2_576, 4_784];
    return pixels === null ? most : Math.min(countSquares(fitLonger(pixels, longest), 28), most);
  },
  countPage: (model) => tokensOfPageText + media.countPicture(model, null, null),
  secondOfSound: 0,
  secondOfVideo: 0,
};
