/** `?`: the list of keyboard shortcuts. */
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { pages } from './pages.ts';

const keys: Readonly<Record<string, string>> = {
  'Ctrl K': 'go to a page, or to an object by its id',
  '/': 'filter the list',
  'j k': 'next row, previous row',
  Enter: 'open the row',
  Escape: 'close the row or the dialog',
  '?': 'this list',
  ...Object.fromEntries(pages.map(({ key, name }) => [`g ${key}`, name])),
};

export function KeyList({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <Facts of={keys} />
    </Dialog>
  );
}
