import { ApiError } from '@agp/core/errors';
import { piiTypes } from '@agp/pii/types';

/**
 * The kind of personal data that a list is asked for: a misspelt one would find nothing, which reads as if there were none.
 *
 * @throws ApiError `invalid_parameter`
 */
export function readPiiType(type: string | undefined): string | undefined {
  if (type === undefined || Object.hasOwn(piiTypes, type)) return type;
  throw new ApiError(
    'invalid_parameter',
    'pii_type: must be one kind that is searched for, such as email; docs/pii.md lists them',
  );
}
