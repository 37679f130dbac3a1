import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiFailure } from './api-failure.ts';

/**
 * A change of something stored. It is done when every screen that shows it has read it again: nothing is shown before storage says so.
 *
 * @param change calls the API
 */
export function useChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation<Result, ApiFailure, Input>({
    mutationFn: change,
    // A change may have been made although its answer was lost: what is shown is read again either way.
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  });
}
