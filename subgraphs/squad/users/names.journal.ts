import type { JournalKind, Journals } from '../storage/journal.ts';
import { users, type NamedIn, type UserRecord } from './user.journal.ts';

/**
 * A page of the other journals that name a user. The journal of the user lists the latest ones, and counts the pages with
 * earlier ones, so that it stays short, and an erasure still finds all of them. The id of a page is `<userId>-<number>`.
 */
export const names: JournalKind<NamedIn, { type: 'page'; names: NamedIn }> = {
  name: 'names',
  empty: () => NO_NAMES,
  apply: (_before, item) => item.names,
  compacted: (page) => (isEmpty(page) ? [] : [{ type: 'page', names: page }]),
};

const NO_NAMES: NamedIn = { squads: [], gyms: [], users: [] };
/** The most names of each list in the journal of a user. */
const MAX_NAMES = 5_000;

/**
 * Moves the names of a user into a page if there are too many. To be called by rules that have written a user's journal.
 * Requests at the same time move the same page: the first one writes it, and the user's journal moves its names once.
 */
export async function moveNames(journals: Journals, user: UserRecord): Promise<void> {
  if (lists.every((list) => user.namedIn[list].length <= MAX_NAMES)) return;
  const { userId, namePages } = user;
  const pageId = pageIdOf(userId, namePages);
  const page = await journals
    .of(names)
    .change(pageId, (before) => (isEmpty(before) ? [{ type: 'page', names: user.namedIn }] : []));
  let moved: NamedIn | undefined;
  const after = await journals.of(users).change(userId, (current) => {
    moved =
      current.namePages === namePages && !current.farewell
        ? commonBeginning(current.namedIn, page)
        : undefined;
    if (!moved || isEmpty(moved)) return [];
    const counts = { squads: moved.squads.length, gyms: moved.gyms.length, users: moved.users.length };
    return [{ type: 'namesMoved', counts }];
  });
  // A name that is in the page, but no longer in the user's journal, was removed meanwhile by the erasure of that other user.
  const isExact = !moved || lists.every((list) => moved?.[list].length === page[list].length);
  const kept = after.farewell ? NO_NAMES : moved;
  if (kept && (after.farewell || !isExact)) await journals.of(names).rewrite(pageId, () => kept);
}

/** All names of a user, the earliest first. */
export async function namesOf(journals: Journals, user: UserRecord): Promise<NamedIn> {
  const parts = [
    ...(await Promise.all(pagesOf(user).map((id) => journals.of(names).read(id)))),
    user.namedIn,
  ];
  const all = (list: keyof NamedIn) => [...new Set(parts.flatMap((part) => part[list]))];
  return { squads: all('squads'), gyms: all('gyms'), users: all('users') };
}

/** Empties all pages of a user who is being erased. */
export async function forgetNames(journals: Journals, user: UserRecord): Promise<void> {
  for (const id of pagesOf(user))
    if (!isEmpty(await journals.of(names).read(id))) await journals.of(names).rewrite(id, () => NO_NAMES);
}

/** Removes another user from the pages of a user. @returns whether a page had the other user */
export async function forgetName(journals: Journals, user: UserRecord, otherId: string): Promise<boolean> {
  let isFound = false;
  for (const id of pagesOf(user)) {
    if (!(await journals.of(names).read(id)).users.includes(otherId)) continue;
    isFound = true;
    await journals
      .of(names)
      .rewrite(id, (page) => ({ ...page, users: page.users.filter((one) => one !== otherId) }));
  }
  return isFound;
}

const lists = ['squads', 'gyms', 'users'] as const;

const isEmpty = (page: NamedIn): boolean => lists.every((list) => page[list].length === 0);

const pageIdOf = (userId: string, page: number): string => `${userId}-${page}`;

/** The last page exists only if `moveNames` has written it, and the user's journal does not count it yet (after a crash). */
const pagesOf = ({ userId, namePages }: UserRecord): string[] =>
  Array.from({ length: namePages + 1 }, (_value, page) => pageIdOf(userId, page));

/** For each list, its names up to the first one that the page does not have. */
function commonBeginning(current: NamedIn, page: NamedIn): NamedIn {
  const common = (list: keyof NamedIn): readonly string[] => {
    const paged = new Set(page[list]);
    const end = current[list].findIndex((name) => !paged.has(name));
    return end < 0 ? current[list] : current[list].slice(0, end);
  };
  return { squads: common('squads'), gyms: common('gyms'), users: common('users') };
}
