// The bounds of the browser app, each with its unit in the name. What the server bounds is in its own limits.

/** Rows of one result that are kept before reading pauses and the person is asked. */
export const RESULT_ROWS_PER_STEP_MAX = 20_000_000
/** Bytes of one result that are moved to the disk before reading pauses. */
export const RESULT_MOVED_BYTES_PER_STEP_MAX = 8 * 1024 * 1024 * 1024
/** Bytes of Arrow buffers of one result that are kept in memory before reading pauses, where none go to the disk. */
export const RESULT_BYTES_PER_STEP_MAX = 512 * 1024 * 1024
/** Bytes of Arrow buffers of one result that stay in memory where its rows can be had again. */
export const RESULT_BYTES_HELD_MAX = 128 * 1024 * 1024
/** Bytes of Arrow buffers that all results together hold in memory; those that are not looked at give way. */
export const ALL_RESULTS_BYTES_HELD_MAX = 384 * 1024 * 1024
/** Bytes that one result may hold whatever the others hold, where none can give way. */
export const RESULT_BYTES_ALWAYS_HELD = 8 * 1024 * 1024
/** Bytes of neighbouring rows that go to the disk, and come from it, together. */
export const ROW_BLOCK_BYTES = 1024 * 1024
/** Rows of ended results that outlive the page: bytes of one, of all, and how many results. */
export const STORED_RESULT_BYTES_MAX = 256 * 1024 * 1024
export const STORED_RESULTS_BYTES_MAX = 1024 * 1024 * 1024
export const STORED_RESULTS_MAX = 64
/** How long a call to the disk that rows lie on may take; then it has failed, as far as the page is concerned. */
export const ROWS_CALL_MS_MAX = 15_000
/** How long signing out waits for the rows of results to be removed; the sign-in page then goes on with it, and tells. */
export const ROWS_REMOVED_MS_MAX = 5_000
/** How often a running result tells its watchers about new rows. */
export const RESULT_PUBLISH_INTERVAL_MS = 80
/** How long a stream is read before the page may paint and handle input. */
export const READ_SLICE_MS = 24
/** Results kept at once; those of the tabs that ran longest ago are dropped, their SQL is not. */
export const RESULTS_KEPT_MAX = 24

/** Characters of a cell that are drawn; copies take the whole value. */
export const CELL_DISPLAY_CHARS_MAX = 400
/** Characters of a column's name that its header draws at most; its tip shows all. */
export const COLUMN_NAME_CHARS_MAX = 300
/** Characters of a cell that its tip shows; the cell viewer shows more. */
export const CELL_TIP_CHARS_MAX = 2_000
/** How often the grid hears of more rows while they arrive. */
export const GRID_ROWS_TOLD_INTERVAL_MS = 600
/** Characters of a copied range; larger ranges are refused rather than cut. */
export const COPY_CHARS_MAX = 50_000_000
/** Rows looked at to choose a column's first width. */
export const COLUMN_WIDTH_SAMPLE_ROWS = 100

export const TABS_OPEN_MAX = 64
export const TABS_CLOSED_KEPT_MAX = 20
/** How long a change of a tab waits for the next before both are written. */
export const TAB_SAVE_DELAY_MS = 100
/** How long the page waits for its storage; then it starts without, and says so. */
export const DATABASE_OPEN_MS_MAX = 3_000
/** How long a change of the place in a result waits for the next before both are written, and how many places are kept. */
export const PLACE_SAVE_DELAY_MS = 150
export const PLACES_KEPT_MAX = 200
export const KNOWN_TABLES_MAX = 100

/** Every JSON request ends within this; a result stream is bounded by the server. */
export const API_TIMEOUT_MS = 60_000
/** What is read of very many manifests takes longer; the server gives up before. */
export const CONTENTS_TIMEOUT_MS = 130_000
/** Rows of one page of a table's files, manifests and snapshots. */
export const LIST_PAGE_ROWS = 100
/** Schemas of a table whose changes are told, the newest ones. */
export const SCHEMAS_TOLD_MAX = 200
/** Rows that a preview shows at most, and previews that are kept to come back to. */
export const PREVIEW_ROWS_MAX = 100
export const PREVIEWS_KEPT_MAX = 4
/** How long a text to find rests before the list is asked. */
export const FIND_DELAY_MS = 250
/** How long Stop waits for the server to confirm. */
export const CANCEL_TIMEOUT_MS = 10_000
/** How often a page that waits for another window looks whether that has signed in. */
export const SESSION_POLL_MS = 1_500
export const CATALOG_STALE_MS = 30_000
/** How long a poll of a background statement waits for news. */
export const POLL_WAIT_MS = 10_000
/** How long a kept result may take to answer before the statement runs instead. */
export const KEPT_OPEN_MS_MAX = 5_000
/** After a poll that failed but may not next time, and how often in a row; submissions are repeated under one key. */
export const POLL_RETRY_MS = 2_000
export const POLL_RETRIES_MAX = 300
export const SUBMIT_RETRIES_MAX = 2
/** How often the list of background statements is asked for while one of them runs, and otherwise. */
export const STATEMENTS_BUSY_POLL_MS = 1_500
export const STATEMENTS_IDLE_POLL_MS = 20_000
/** A statement that reads more than this, or takes longer, is offered to run in the background. */
export const BACKGROUND_OFFERED_BYTES = 256 * 1024 * 1024
export const BACKGROUND_OFFERED_MS = 5_000
/** A statement that takes longer says what becomes of it when the page is left. */
export const LEAVING_SAID_MS = 1_500

/** An interactive statement that has run this long is not stopped by leaving the page without being asked. */
export const LEAVE_ASKED_RUNNING_MS = 5_000

/** Cells of an answer that a fingerprint is made of; larger answers are compared by no one. */
export const FINGERPRINT_CELLS_MAX = 2_000_000
/** Characters of a link's fragment; a longer one would be cut by mail and chat programs. */
export const LINK_CHARS_MAX = 64_000
export const NOTICE_SHOWN_MS = 8_000
/** Statements of a text that are run at once; each keeps a result. */
export const RUN_ALL_STATEMENTS_MAX = 16

export const HISTORY_ENTRIES_MAX = 1_000
export const HISTORY_CHARS_MAX = 8_000_000
/** Entries of the history that are drawn; a search reaches the others. */
export const HISTORY_SHOWN_MAX = 200
export const SAVED_QUERIES_MAX = 500
export const PALETTE_SHOWN_MAX = 60
/** Earlier queries that the palette searches; the history panel searches all. */
export const PALETTE_HISTORY_MAX = 200
/** Tables of one namespace that the tree draws, and how many more each time they are asked for. */
export const TREE_TABLES_STEP = 500
/** Letters that are typed in the tree within this time are one word. */
export const TYPE_AHEAD_MS = 700
/** How long typing rests before the statement is checked. */
export const VALIDATE_DELAY_MS = 600
/** How long the estimate of a text is shown before it is asked for anew: tables get new data. */
export const ESTIMATE_STALE_MS = 30_000
/** Names that completion offers at once; more letters bring the others. */
export const SUGGESTIONS_MAX = 300

/** Rows that are sorted in the browser; more than that is for ORDER BY. */
export const SORT_ROWS_MAX = 500_000
export const ROW_SLICE_MS = 12
/** Rows of a result that are searched, counted and drawn in the browser, the first ones; all of it is for the engine. */
export const EXAMINED_ROWS_MAX = 2_000_000
/** Distinct values that a column's statistics count. */
export const STATS_DISTINCT_MAX = 20_000
/** Arrangements of results that are kept, those changed last. */
export const GRID_VIEWS_KEPT_MAX = 100
/** Columns that the menu of columns lists. */
export const COLUMN_MENU_MAX = 400
export const ZONE_OFFSETS_KEPT_MAX = 20_000

/** Marks of a scatter chart; more rows than that are sampled, and it says so. */
export const CHART_POINTS_MAX = 5_000
/** Steps along a line of which the least and the greatest are drawn, where there are more rows. */
export const CHART_LINE_STEPS = 1_000
export const CHART_BINS = 40
export const CHART_BARS_MAX = 50
export const CHART_HEIGHT_MIN_PX = 160

/** After this long a file that an export left behind is no tab's any more. */
export const EXPORT_LEFTOVER_MS = 3_600_000
/** How long the browser may read a file that was handed to its downloads. */
export const DOWNLOAD_URL_KEPT_MS = 600_000

/** How often the tables behind a shown result are looked at for newer commits. */
export const DATA_MOVED_POLL_MS = 30_000
/** Tables of one result that are looked at. */
export const DATA_MOVED_TABLES_MAX = 8

/** A snapshot that a table's rules may remove within this time is told of where it is pinned or shared. */
export const RETENTION_TOLD_MS = 14 * 86_400_000

/** Commits that a rail shows, the newest ones: so many can be told apart. */
export const RAIL_COMMITS_MAX = 200
/** Tables of a statement that have a rail. */
export const RAIL_TABLES_MAX = 3
/** Partitions that a comparison of snapshots shows, those with the most changed rows. */
export const COMPARED_PARTITIONS_MAX = 500
export const PARAMETERS_MAX = 32
export const PARAMETER_CHARS_MAX = 10_000
/** Characters of a value that the cell viewer draws, its first ones; its copy and its file take the whole value. */
export const VALUE_SHOWN_CHARS_MAX = 100_000
/** Characters of a text that is tried as JSON; a longer one is shown as plain text. */
export const VALUE_JSON_CHARS_MAX = 20_000_000
/** Characters of a value that was laid out; deep nesting would make many out of few, and is shown as it is. */
export const VALUE_LAID_OUT_CHARS_MAX = 1_000_000
