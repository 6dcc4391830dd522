// The bounds of the browser app, each with its unit in the name. What the server bounds is in its own limits.

/** Rows of one result that are kept before reading pauses and the person is asked. */
export const RESULT_ROWS_PER_STEP_MAX = 2_000_000
/** Bytes of Arrow buffers of one result that are kept before reading pauses. */
export const RESULT_BYTES_PER_STEP_MAX = 512 * 1024 * 1024
/** How often a running result tells its watchers about new rows. */
export const RESULT_PUBLISH_INTERVAL_MS = 80
/** How long a stream is read before the page may paint and handle input. */
export const READ_SLICE_MS = 24
/** Results kept at once, one for each of the tabs used last; older ones are dropped, their SQL is not. */
export const RESULTS_KEPT_MAX = 8

/** Characters of a cell that are drawn; copies and the cell viewer take the whole value. */
export const CELL_DISPLAY_CHARS_MAX = 400
/** Characters of a copied range; larger ranges are refused rather than cut. */
export const COPY_CHARS_MAX = 50_000_000
/** Rows looked at to choose a column's first width. */
export const COLUMN_WIDTH_SAMPLE_ROWS = 100

export const TABS_OPEN_MAX = 64
export const TABS_CLOSED_KEPT_MAX = 20
export const TAB_SAVE_DELAY_MS = 250
export const KNOWN_TABLES_MAX = 100

/** Every JSON request ends within this; a result stream is bounded by the server. */
export const API_TIMEOUT_MS = 60_000
/** How long Stop waits for the server to confirm. */
export const CANCEL_TIMEOUT_MS = 10_000
export const CATALOG_STALE_MS = 30_000

/** Cells of an answer that a fingerprint is made of; larger answers are compared by no one. */
export const FINGERPRINT_CELLS_MAX = 4_000_000
export const FINGERPRINT_SLICE_MS = 12
/** Characters of a link's fragment; a longer one would be cut by mail and chat programs. */
export const LINK_CHARS_MAX = 64_000
export const NOTICE_SHOWN_MS = 8_000
