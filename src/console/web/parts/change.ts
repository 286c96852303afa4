/** A change made by a page: lists that show it are reloaded, and a refusal is shown. */
import { useMutation, useQueryClient } from '@tanstack/react-query';

/** `kinds` are the first parts of the query keys of data that the change may affect. */
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  kinds: readonly string[],
  done?: (output: Output) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (output) => done?.(output),
    onSettled: () => {
      for (const kind of kinds) queries.invalidateQueries({ queryKey: [kind] });
    },
  });
}
