import { expect, test } from 'vitest';
import { findOldPictures } from './picture-age.ts';

test('pictures are old once the console has changed by more lines than it may', () => {
  expect(findOldPictures('HEAD', -1)).toMatch(/^\d+ lines of the console changed .* -1 may: npm run screenshots$/);
  expect(findOldPictures('0000000', -1)).toBeNull();
});
