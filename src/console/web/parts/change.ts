/** A change that a page makes: lists that show it load again, a refusal is shown. */
import { useMutation, useQueryClient } from '@tanstack/react-query';

/** `kinds` are first parts of the keys of what the change may change. */
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
