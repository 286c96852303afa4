/** Ctrl K: goes to a page, or to the item with the typed id or name. */
import { useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { type ConsoleLink, destinationsOf } from './destinations.ts';
import { useLetterLink } from './letter-link.ts';
import { pages } from './pages.ts';

const itemClasses =
  'flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 data-[selected=true]:bg-raised';

/** What begins with it is an answer to the typed text. */
const typedMark = 'typed: ';

/** Pages come first: what is typed may be the beginning of the name of one. */
const rank = (value: string, typed: string) =>
  value.startsWith(typedMark) ? 0.0001 : defaultFilter(value, typed);

export default function Palette({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const go = ({ to, search = {} }: Omit<ConsoleLink, 'name'>) => {
    close();
    navigate({ to, search });
  };
  const destinations = [...destinationsOf(typed.trim()), ...useLetterLink(typed.trim())];
  return (
    <Dialog title="Go to" close={close}>
      <Command label="Go to" loop filter={rank}>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          autoFocus
          placeholder="A page, or the id or the name of something"
          className="mb-2 h-9 w-full rounded-md border border-control bg-surface px-2 placeholder:text-muted"
        />
        <Command.List className="max-h-80 overflow-auto">
          <Command.Empty className="px-2 py-3 text-muted">Nothing has this name.</Command.Empty>
          {destinations.map((link) => (
            <Command.Item
              key={link.name}
              value={`${typedMark}${link.name}`}
              onSelect={() => go(link)}
              className={itemClasses}
            >
              <span className="min-w-0 wrap-anywhere">{link.name}</span>
            </Command.Item>
          ))}
          {pages.map(({ to, name, icon: Icon, key }) => (
            <Command.Item key={to} value={name} onSelect={() => go({ to })} className={itemClasses}>
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
