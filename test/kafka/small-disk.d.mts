/** A small disk of its own, in a mount namespace that ends with `remove`. */
export interface SmallDisk {
  /** As it is seen from here; a process that is begun with `enter` sees it at its mount point. */
  readonly outside: string;
  /** The beginning of a command line that is run in there. */
  readonly enter: readonly string[];
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  remove(): void;
}
export function smallDisk(dir: string, megabytes: number): Promise<SmallDisk>;
