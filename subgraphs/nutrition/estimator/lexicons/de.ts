import type { LexiconWords } from './lexicon.ts';

export const de: LexiconWords = {
  numbers: `ein=1 eine=1 einen=1 einem=1 einer=1 eins=1 zwei=2 beide=2 paar=3 drei=3 vier=4 einige=3 mehrere=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10
    elf=11 zwölf=12 dutzend=12 fünfzehn=15 zwanzig=20 dreißig=30 fünfzig=50 hundert=100 halb=0.5 halbe=0.5 halber=0.5 halbes=0.5 halben=0.5 hälfte=0.5
    viertel=0.25 dreiviertel=0.75 drittel=0.33333333 anderthalb=1.5 eineinhalb=1.5 zweieinhalb=2.5`,
  masses: `gramm=1 kilogramm=1000 pfund=500 unze=28.35 unzen=28.35`,
  volumes: `milliliter=1 zentiliter=10 deziliter=100`,
  measures: `el=tbsp esslöffel=tbsp tl=tsp teelöffel=tsp tasse=cup tassen=cup becher=container scheibe=slice scheiben=slice stück=piece stücke=piece stücken=piece st=piece stk=piece
    dose=can dosen=can flasche=bottle flaschen=bottle glas=glass gläser=glass handvoll=handful hand=handful schüssel=bowl schale=bowl schälchen=bowl teller=plate portion=portion portionen=portion
    packung=packet päckchen=packet tüte=bag beutel=bag riegel=bar kugel=scoop kugeln=scoop messlöffel=scoop rippe=square rippen=square stange=stick prise=pinch schuss=splash spritzer=dash klecks=dollop
    filet=fillet filets=fillet blatt=leaf bund=bunch zehe=clove zehen=clove krug=mug tafel=bar löffel=tbsp ecke=wedge spalte=wedge ganze=whole ganzer=whole ganzes=whole ganzen=whole`,
  sizes: `klein=small kleine=small kleiner=small kleines=small kleinen=small mittel=medium mittlere=medium mittelgroß=medium mittelgroße=medium mittelgroßer=medium groß=large große=large großer=large großes=large großen=large riesig=extra_large riesige=extra_large`,
  energy: `kalorien kilokalorien`,
  separators: `und mit dazu sowie auf plus danach darauf im in an`,
  ranges: `bis oder`,
  negations: `ohne kein keine keinen keinem nicht`,
  raw: `roh rohe roher rohes rohem rohen ungekocht ungekochte ungekochter trocken trockene trockener getrocknet`,
  sugarFree: `zuckerfrei zuckerfreie zuckerfreier zuckerfreies light zero`,
  prepositions: `von vom aus`,
  ignored: `der die das den dem des ich habe hatte gegessen getrunken zum zur am um heute gestern abend morgen mittag nachmittag frühstück mittagessen abendessen abendbrot snack zwischendurch noch etwas ca circa etwa ungefähr rund
    gekocht gekochte gekochter gekochtes gekochten gebraten gebratene gebratener gebratenes gebratenen gegrillt gegrillte gegrillter gegrilltes gebacken gebackene gedünstet gedämpft gedünstete geröstet geröstete paniert panierte frisch frische frischer frisches frischen
    selbstgemacht selbstgemachte hausgemacht hausgemachte groß natur pur warm kalt heiß heiße mager magere magerer fettarm fettarme fettarmer leicht leichte bio vegan vegane veganer vegetarisch vegetarische gemischt gemischter gemischte gemischtes
    gefüllt gefüllte belegt belegtes belegte gehackt gehackte gewürfelt gerieben geriebener gerieben rot rote roter grün grüne grüner weiß weiße weißer schwarz schwarze schwarzer gesalzen ungesalzen gesüßt ungesüßt dunkel helles dünn dick
    kräuter kleines bisschen wenig viel dann auch nur sehr schön lecker leckere hart weich weiche wachsweich natürlich griechischer italienischer deutsche deutscher mein meine zu als beilage dazu`,
  composites: `sandwich=bread_white brot=bread_ww brötchen=bread_roll semmel=bread_roll wrap=tortilla_flour toast=toast_white salat=lettuce omelett=omelette nudeln=pasta spaghetti=pasta burger=burger_bun baguette=bread_french`,
};
