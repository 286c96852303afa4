/** A change made by a page: lists that show it are reloaded, and a refusal is shown. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

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

/** Shows a refusal, or none, where there is a place for it: every panel has one. */
export const RefusalPlace = createContext<(error: Error | null) => void>(() => undefined);

/** A change by a button in a row: as a row has no place for a refusal, its panel shows it. */
export function useRowChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  kinds: readonly string[],
) {
  const show = useContext(RefusalPlace);
  return useChange((input: Input) => {
    show(null);
    return change(input).catch((error: Error) => {
      show(error);
      throw error;
    });
  }, kinds);
}
