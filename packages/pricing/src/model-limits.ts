/** The largest context that is sold, in tokens: no single run of a model reads more. */
export const largestContext = 2_097_152;

/** More than models write in one answer unless they are asked for more, in tokens (128 thousand is the most in use). */
export const largestOutput = 131_072;
