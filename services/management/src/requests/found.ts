import { ApiError, type ErrorCode } from '@agp/core/errors';

/** @throws ApiError where nothing was found */
export function found<Value>(value: Value | null | undefined, error: ErrorCode): Value {
  if (value === null || value === undefined) throw new ApiError(error);
  return value;
}
