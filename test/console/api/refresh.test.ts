import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { refresh } from '../../../src/console/web/api/refresh.ts';

/** A list that has loaded `pages` pages, and counts the requests for pages. */
async function listOf(client: QueryClient, pages: number) {
  let asked = 0;
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ['message', pages, 'rows'],
    queryFn: async ({ pageParam }) => {
      asked += 1;
      return { rows: [pageParam], cursor: pageParam + 1 };
    },
    initialPageParam: 0,
    getNextPageParam: ({ cursor }) => cursor,
  });
  const forget = observer.subscribe(() => undefined);
  await observer.refetch();
  while ((observer.getCurrentResult().data?.pages.length ?? 0) < pages) {
    await observer.fetchNextPage();
  }
  return { count: () => asked, forget };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it.each([['message'], [undefined]])(
  'a refresh of %s requests what is shown again, except long lists',
  async (kind) => {
    const client = new QueryClient();
    let asked = 0;
    const one = new QueryObserver(client, {
      queryKey: ['message', 'msg_1'],
      queryFn: async () => {
        asked += 1;
        return {};
      },
    });
    const forget = one.subscribe(() => undefined);
    const lists = [await listOf(client, 2), await listOf(client, 3)];
    const before = [asked, ...lists.map(({ count }) => count())];
    refresh(client, kind);
    for (let turn = 0; turn < 20; turn += 1) await settled();
    const more = [asked, ...lists.map(({ count }) => count())].map(
      (count, index) => count - (before[index] ?? 0),
    );
    expect(more).toEqual([1, 2, 0]);
    forget();
    for (const list of lists) list.forget();
    client.clear();
  },
);
