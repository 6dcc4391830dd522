// The grid draws on a canvas, so the tokens are resolved to colours here, again for each theme.
import type { Theme } from '@glideapps/glide-data-grid'
import { hexOfToken } from '../../ui/token-colors.ts'

export const GRID_FONT = "'Inter Variable', system-ui, sans-serif"

export interface GridTheme {
  base: Partial<Theme>
  /** NULL: a muted token, smaller than text so that it cannot be read as the text 'NULL'. */
  nullCell: Partial<Theme>
  /** '' and what is not there yet. */
  faintCell: Partial<Theme>
  ink: string
  faint: string
}

export function gridTheme(): GridTheme {
  const ink = hexOfToken('ink')
  const faint = hexOfToken('ink-3')
  const line = hexOfToken('line')
  const accent = hexOfToken('accent')
  const canvas = hexOfToken('canvas')
  const panel = hexOfToken('panel')
  return {
    ink,
    faint,
    nullCell: { textDark: faint, baseFontStyle: '500 10px' },
    faintCell: { textDark: faint },
    base: {
      accentColor: accent,
      accentFg: canvas,
      accentLight: `${accent}24`,
      textDark: ink,
      textMedium: hexOfToken('ink-2'),
      textLight: faint,
      textHeader: ink,
      textHeaderSelected: canvas,
      bgCell: canvas,
      bgCellMedium: panel,
      bgHeader: panel,
      bgHeaderHasFocus: panel,
      bgHeaderHovered: panel,
      borderColor: line,
      horizontalBorderColor: line,
      headerBottomBorderColor: line,
      drilldownBorder: line,
      cellHorizontalPadding: 8,
      cellVerticalPadding: 3,
      headerFontStyle: '600 12px',
      baseFontStyle: '12px',
      markerFontStyle: '11px',
      editorFontSize: '12px',
      fontFamily: GRID_FONT,
      roundingRadius: 2,
    },
  }
}
