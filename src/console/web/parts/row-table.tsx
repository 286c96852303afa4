/**
 * The table of every list: rows of one line, rendered only if visible, with keys (`j`, `k`, Enter)
 * and a link in each. New rows wait while the mouse is over the table.
 */
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from './button.tsx';
import { useChosenRow } from './chosen-row.ts';
import { useHeldRows } from './held-rows.ts';

/** One column; its width is a CSS width, or else what is left. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly width?: string;
  /** Its width on a phone, if different. */
  readonly narrow?: string;
  /** Numbers and times are right-aligned. */
  readonly isRight?: boolean;
  /** Shown on screens of at least this width; without it, on all. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** For what wider screens show in another column. */
  readonly isOnPhoneOnly?: boolean;
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Newest first if the list is live. */
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The address that a row leads to, relative to `/console`. */
  readonly linkOf?: (row: Row) => string;
  /** Loads more rows after the last one; absent if there are none. */
  readonly more?: (() => void) | undefined;
}

const rowHeight = 36;

const from: Readonly<Record<NonNullable<Column<unknown>['from']>, string>> = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
};

function classesOf<Row>({ from: width, isOnPhoneOnly, isRight }: Column<Row>): string {
  const shown = width === undefined ? (isOnPhoneOnly === true ? 'sm:hidden' : '') : from[width];
  return `px-3 ${shown} ${isRight === true ? 'text-right' : ''}`;
}

/** If the row that has the focus goes, the table gets it: a keyboard continues there. */
function useKeptFocus(table: React.RefObject<HTMLTableElement | null>) {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const isLost = focused.current?.isConnected === false;
    if (isLost && document.activeElement === document.body)
      table.current?.focus({ preventScroll: true });
    if (isLost) focused.current = null;
  });
  return {
    onFocus: ({ target }: React.FocusEvent) => {
      focused.current = target;
    },
    onBlur: () => {
      if (focused.current?.isConnected === true) focused.current = null;
    },
  };
}

/** `keyOf` identifies rows across answers; `more` is called when the end becomes visible. */
export function RowTable<Row>({ label, columns, rows, keyOf, linkOf, more }: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const keepFocus = useKeptFocus(table);
  const [isHovered, setHovered] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const { shown, fresh, release } = useHeldRows(rows, keyOf, isHovered || isChoosing);
  const { items, above, below, show } = useSeenRows(shown.length, body, more);
  const navigate = useNavigate();
  const open = (row: Row | undefined) => {
    if (row !== undefined && linkOf !== undefined) navigate({ to: linkOf(row) });
  };
  // If a page has several tables, the keys apply to the one whose rows lead somewhere.
  const keyed = linkOf === undefined ? 0 : shown.length;
  const chosen = useChosenRow(keyed, show, (index) => open(shown[index]));
  if (isChoosing !== chosen >= 0) setChoosing(chosen >= 0);
  return (
    <div className="relative">
      {fresh > 0 && (
        <div className="absolute top-9 left-1/2 z-10 -translate-x-1/2 shadow">
          <Button look="main" onClick={release}>
            {fresh} new
          </Button>
        </div>
      )}
      <table
        ref={table}
        tabIndex={-1}
        aria-label={label}
        aria-rowcount={shown.length}
        className="w-full table-fixed border-collapse"
        onMouseEnter={() => setHovered(true)}
        onMouseLeave={() => setHovered(false)}
        {...keepFocus}
      >
        <Head columns={columns} />
        <tbody ref={body}>
          {above > 0 && <Gap height={above} />}
          {items.map((index) => {
            const row = shown[index];
            if (row === undefined) return null;
            return (
              <TableRow
                key={keyOf(row)}
                row={row}
                columns={columns}
                isChosen={index === chosen}
                open={linkOf === undefined ? undefined : () => open(row)}
              />
            );
          })}
          {below > 0 && <Gap height={below} />}
        </tbody>
      </table>
    </div>
  );
}

/** Which rows are visible, and the height of those above and below. */
function useSeenRows(
  count: number,
  body: React.RefObject<HTMLTableSectionElement | null>,
  more: (() => void) | undefined,
) {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [body]);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const isAtEnd = (last?.index ?? -1) >= count - 1;
  useEffect(() => {
    if (isAtEnd) more?.();
  }, [isAtEnd, more]);
  return {
    items: items.map(({ index }) => index),
    above: (first?.start ?? offset) - offset,
    below: virtual.getTotalSize() - ((last?.end ?? offset) - offset),
    show: (index: number) => virtual.scrollToIndex(index),
  };
}

function widthsOf<Row>({ width = 'auto', narrow = width }: Column<Row>): CSSProperties {
  // The type does not allow custom properties.
  return { '--wide': width, '--narrow': narrow } as CSSProperties;
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr className="h-9 border-b border-line text-left text-xs text-muted">
        {columns.map((column) => (
          <th
            key={column.name}
            scope="col"
            style={widthsOf(column)}
            className={`w-(--narrow) font-medium sm:w-(--wide) ${classesOf(column)}`}
          >
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const chosenClasses = 'bg-raised outline-2 -outline-offset-2 outline-accent';

function TableRow<Row>({
  row,
  columns,
  isChosen,
  open,
}: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly isChosen: boolean;
  readonly open: (() => void) | undefined;
}) {
  const look = open === undefined ? '' : 'cursor-pointer hover:bg-raised';
  return (
    <tr
      className={`h-9 border-b border-line last:border-0 ${isChosen ? chosenClasses : look}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={(event) => {
        const { target } = event;
        const own = 'a, button, input, dialog';
        const isOwn = target instanceof Element && target.closest(own) !== null;
        if (!isOwn && getSelection()?.toString() === '') open?.();
      }}
    >
      {columns.map((column) => (
        <td key={column.name} className={`truncate ${classesOf(column)}`}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The space of rows that are not rendered. */
function Gap({ height }: { readonly height: number }) {
  return <tr style={{ height }} />;
}
