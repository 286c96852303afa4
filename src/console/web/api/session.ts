/** Who has signed in, and what that lets them do. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask } from './client.ts';

/** What is typed to sign in; `{}` where nothing is asked for. */
export type Credential =
  | { readonly token: string }
  | { readonly username: string; readonly password: string }
  | Record<string, never>;

/** What a change needs: `operate` for work, `admin` for settings. */
export type Need = 'operate' | 'admin';

const sessionKey = ['session'];

/**
 * Asked once: signing in and out set what is known, and an answer of 401 has it asked for again.
 */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: () => ask(api.GET('/console/session')),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
}

/** Whether the one who has signed in may do what needs this. */
export function useMay(need: Need): boolean {
  const role = useSession().data?.session?.role ?? 'read';
  return role === 'admin' || (role === 'operate' && need === 'operate');
}

/** Signs in; what was shown to no one is asked for again. */
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

/** Signs out, and forgets what was shown. */
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
