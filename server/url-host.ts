/** The host of a URL as sockets and DNS take it: without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.+)\]$/, '$1');
