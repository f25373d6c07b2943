// Finds pages whose total may have been counted before or after their rows were read, in another query. Pure.
import { countRereads, covers, isCounted, type PageView } from './page-view.ts';
import type { FoundBy } from './place.ts';
import { agrees, contradicts, type Sheet } from './sheet.ts';

/** The largest number of reads again after which the ends of a slice are no longer doubted. */
const maxRereads = 6;

/**
 * An end of a slice to read again; undefined if both are right. A page with too low a total lies too near the oldest
 * end, one with too high a total too near the newest. Rows hide between two pages only if the newer one lies lower than
 * the older one; all other combinations show a contradiction or a gap. If the newest page of a slice is not too low and
 * its oldest page not too high, there is no such pair in between.
 */
export function unsureEnd(
  sheet: Sheet,
  reads: readonly PageView[],
  by: FoundBy,
  one: number,
  other: number,
): number | undefined {
  const isSteady = !sheet.isContradicted && reads.every(({ total }) => total === reads[0]?.total);
  if (sheet.isLoose || (isSteady && by !== 'row')) return undefined;
  if (countRereads(reads) >= maxRereads) return undefined;
  const [newest, oldest] = [Math.max(one, other), Math.min(one, other)];
  const pagesAt = (distance: number) => sheet.pages.filter((page) => covers(page, distance));
  const [newer, older] = [pagesAt(newest), pagesAt(oldest)];
  // Rows may be beyond the end of a full page.
  const isFull = older.length === 1 && older[0]?.rows.length === older[0]?.size;
  if (by === 'row' && oldest === 0 && isFull) return oldest;
  if (isSteady) return undefined;
  if (newer.some((page) => older.includes(page))) return undefined;
  if (newer.length > 0 && !newer.some((page) => isSure(page, sheet, reads, 'low'))) return newest;
  if (older.length > 0 && !older.some((page) => isSure(page, sheet, reads, 'high'))) return oldest;
  return undefined;
}

/**
 * Whether the total of a page is not too low, or not too high: a page with another total shows one of its rows at the
 * same place, or no read speaks against the total, and no page that is right contradicts it.
 */
function isSure(
  page: PageView,
  sheet: Sheet,
  reads: readonly PageView[],
  wrong: 'low' | 'high',
): boolean {
  const isOther = (one: PageView) => one.page !== page.page && one.total !== page.total;
  if (sheet.pages.some((one) => isOther(one) && agrees(one, page))) return true;
  if (!isCounted(page, reads, wrong)) return false;
  const others = reads.filter((one) => one !== page && isCounted(one, reads));
  return !others.some((one) => contradicts(page, one)) || others.some((one) => agrees(one, page));
}
