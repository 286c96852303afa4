/** Ctrl K: goes to a page, or to the item with the typed id. */
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { destinationsOf } from './destinations.ts';
import { pages } from './pages.ts';

const itemClasses =
  'flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 data-[selected=true]:bg-raised';

export default function Palette({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const go = (to: string) => {
    close();
    navigate({ to });
  };
  return (
    <Dialog title="Go to" close={close}>
      <Command label="Go to" loop>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          autoFocus
          placeholder="A page, or the id of a message, run or schedule"
          className="mb-2 h-9 w-full rounded-md border border-control bg-surface px-2 placeholder:text-muted"
        />
        <Command.List className="max-h-80 overflow-auto">
          <Command.Empty className="px-2 py-3 text-muted">
            Nothing has this name. Ids begin with msg_, wfr_ or scd_.
          </Command.Empty>
          {destinationsOf(typed.trim()).map(({ to, name }) => (
            <Command.Item
              key={to}
              value={`${typed} ${name}`}
              onSelect={() => go(to)}
              className={itemClasses}
            >
              {name}
            </Command.Item>
          ))}
          {pages.map(({ to, name, icon: Icon, key }) => (
            <Command.Item key={to} value={name} onSelect={() => go(to)} className={itemClasses}>
              <Icon className="size-4 text-muted" aria-hidden="true" />
              {name}
              <kbd className="ml-auto font-sans text-xs text-muted">g {key}</kbd>
            </Command.Item>
          ))}
          <Command.Item
            value="API reference of routes"
            onSelect={() => location.assign('/docs')}
            className={itemClasses}
          >
            <BookOpen className="size-4 text-muted" aria-hidden="true" />
            API
          </Command.Item>
        </Command.List>
      </Command>
    </Dialog>
  );
}
