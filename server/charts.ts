/** Parts of the SVG charts of all services. */

export const CHART_FONT = '12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';

/** The distance of two grid lines: 1, 2 or 5 times a power of ten. */
export function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 0.1)));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  return factor * power;
}

/** A coordinate or a value with at most one decimal. */
export const chartNumber = (value: number): number => Math.round(value * 10) / 10;

/** A number with a space before each group of three digits. */
export const thousands = (value: number): string => {
  const [whole = '', decimals] = String(value).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ' ')}${decimals === undefined ? '' : `.${decimals}`}`;
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** A local day such as `22 Nov`. */
export const dayLabel = (date: string): string =>
  `${Number(date.slice(8, 10))} ${MONTHS[Number(date.slice(5, 7)) - 1]}`;

/** A text of at most `most` characters, so that it fits into a chart. The whole text has to be in the chart's `title`. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

export const escapedText = (text: string): string =>
  text.replaceAll(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
