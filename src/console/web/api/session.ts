/** Who is signed in, and what they may do. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask } from './client.ts';

/** What is typed to sign in; `{}` if no credential is required. */
export type Credential =
  | { readonly token: string }
  | { readonly username: string; readonly password: string }
  | Record<string, never>;

/** The right that a change needs: `operate` for work, `admin` for settings. */
export type Need = 'operate' | 'admin';

const sessionKey = ['session'];

/** Loaded once: signing in and out update it, and an answer of 401 reloads it. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: () => ask(api.GET('/console/session')),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
}

/** Whether the signed-in person may make changes that need this right. */
export function useMay(need: Need): boolean {
  const role = useSession().data?.session?.role ?? 'read';
  return role === 'admin' || (role === 'operate' && need === 'operate');
}

/** Signs in; data that was shown before is loaded again. */
export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Credential) => ask(api.POST('/console/session', { body })),
    onSuccess: (shown) => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, shown);
    },
  });
}

/** Signs out, and discards all data that was shown. */
export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => ask(api.DELETE('/console/session')),
    onSuccess: () => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      queries.setQueryData(sessionKey, (shown: object | undefined) =>
        shown === undefined ? undefined : { ...shown, session: null },
      );
    },
  });
}
