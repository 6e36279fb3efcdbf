/** Whether nobody but this machine is behind a host. */
export function isLoopback(host: string): boolean {
  return /^(localhost$|127\.[\d.]+$|(::1|\[::1\])$)/.test(host);
}
