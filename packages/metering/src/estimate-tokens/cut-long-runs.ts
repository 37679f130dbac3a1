/** Tokenizers take time in the square of an unbroken run's length, so no longer one is given to them. */
const maxRun = 500;

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/**
 * Cuts a text into pieces in which no run of white space, and none of other characters, is longer than
 * 500 UTF-16 units. Joined, the pieces are the text.
 */
export function cutLongRuns(text: string): string[] {
  const pieces: string[] = [];
  let pieceStart = 0;
  let runStart = 0;
  let runIsSpace = false;
  for (let i = 0; i < text.length; i++) {
    const space = isSpace(text.charCodeAt(i));
    if (space !== runIsSpace) {
      runIsSpace = space;
      runStart = i;
    } else if (i - runStart === maxRun) {
      pieces.push(text.slice(pieceStart, i));
      pieceStart = i;
      runStart = i;
    }
  }
  if (pieceStart < text.length) pieces.push(text.slice(pieceStart));
  return pieces;
}
