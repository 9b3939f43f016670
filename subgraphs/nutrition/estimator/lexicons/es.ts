import type { LexiconWords } from './lexicon.ts';

export const es: LexiconWords = {
  numbers: `un=1 una=1 uno=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 docena=12 quince=15 veinte=20 treinta=30 cincuenta=50 cien=100
    unos=3 unas=3 varios=4 varias=4 par=2 medio=0.5 media=0.5 mitad=0.5 cuarto=0.25 tercio=0.33333333`,
  masses: `gramo=1 gramos=1 grs=1 kilogramo=1000 libra=453.6`,
  volumes: `mililitro=1 mililitros=1 centilitro=10 litro=1000 litros=1000`,
  measures: `cucharada=tbsp cucharadas=tbsp cda=tbsp cdas=tbsp cuchara=tbsp cucharadita=tsp cucharaditas=tsp cdta=tsp cdtas=tsp taza=cup tazas=cup tazón=bowl bol=bowl cuenco=bowl vaso=glass vasos=glass copa=glass copas=glass
    rebanada=slice rebanadas=slice loncha=slice lonchas=slice rodaja=slice rodajas=slice trozo=piece trozos=piece pieza=piece piezas=piece unidad=piece unidades=piece porción=slice porciones=slice ración=portion raciones=portion
    lata=can latas=can botella=bottle botellas=bottle botellín=bottle tercio=bottle puñado=handful puñados=handful plato=plate platos=plate tarro=jar bolsa=bag paquete=packet sobre=packet barrita=bar barritas=bar bola=scoop bolas=scoop cazo=scoop cacito=scoop
    onza=square onzas=square diente=clove dientes=clove hoja=leaf pizca=pinch chorrito=drizzle chorro=splash filete=fillet filetes=fillet tableta=bar entero=whole entera=whole jarra=pint caña=cana cañas=cana pinchito=skewer`,
  sizes: `pequeño=small pequeña=small pequeños=small pequeñas=small mediano=medium mediana=medium medianos=medium grande=large grandes=large`,
  energy: `calorías kilocalorías caloría`,
  separators: `y e con más luego sobre en además acompañado acompañada`,
  ranges: `a o u`,
  negations: `sin no ni nada`,
  raw: `crudo cruda crudos crudas seco seca secos secas`,
  sugarFree: `light zero`,
  prepositions: `de del al a la`,
  ignored: `el la los las lo me he comí comido tomé bebí desayuno almuerzo comida cena merienda hoy ayer mañana tarde noche aproximadamente unos alrededor casi poco
    cocido cocida cocidos cocidas asado asada asados asadas plancha frito frita fritos fritas hervido hervida hervidos horno salteado salteada salteados vapor natural naturales fresco fresca frescos casero casera caseros integral bio ligero ligera caliente frío fría
    blanco blanca rojo roja verde verdes negro negra tostado tostada picado picada rallado rallada ahumado ahumada mixto mixta relleno rellena rellenos salado salada dulce empanado empanada vegetal vegetariana vegano vegana desnatado desnatada entero
    mi mis su muy bien buen buena guarnición`,
  composites: `sándwich=bread_white bocadillo=bread_french bocata=bread_french ensalada=lettuce tortilla=omelette pasta=pasta tostada=toast_white wrap=tortilla_flour hamburguesa=burger_bun`,
};
