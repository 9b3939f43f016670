import type { LexiconWords } from './lexicon.ts';

export const fr: LexiconWords = {
  numbers: `un=1 une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 douzaine=12 quinze=15 vingt=20 trente=30 cinquante=50 cent=100
    quelques=3 plusieurs=4 demi=0.5 demie=0.5 moitié=0.5 quart=0.25 tiers=0.33333333`,
  masses: `gramme=1 grammes=1 kilogramme=1000 livre=500`,
  volumes: `millilitre=1 centilitre=10 centilitres=10 décilitre=100 litre=1000 litres=1000`,
  measures: `cuillère=tbsp cuillères=tbsp cuillerée=tbsp cuillerées=tbsp càs=tbsp cas=tbsp cs=tbsp càc=tsp cac=tsp cc=tsp tasse=cup tasses=cup bol=bowl bols=bowl verre=glass verres=glass
    tranche=slice tranches=slice morceau=piece morceaux=piece pièce=piece pièces=piece part=slice parts=slice canette=can canettes=can boîte=can bouteille=bottle bouteilles=bottle
    poignée=handful poignées=handful assiette=plate assiettes=plate portion=portion portions=portion pot=container pots=container sachet=packet paquet=packet barre=bar barres=bar boule=scoop boules=scoop
    carré=square carrés=square gousse=clove gousses=clove feuille=leaf feuilles=leaf pincée=pinch filet=drizzle noix=knob noisette=pat dose=scoop doses=scoop tablette=bar rondelle=slice rondelles=slice entier=whole entière=whole pinte=pint coupe=glass`,
  sizes: `petit=small petite=small petits=small petites=small moyen=medium moyenne=medium grand=large grande=large gros=large grosse=large grands=large grandes=large`,
  energy: `calories calorie`,
  separators: `et avec plus puis sur dans ainsi accompagné accompagnée accompagnés`,
  ranges: `à ou`,
  negations: `sans pas ni aucun`,
  raw: `cru crue crus crues sec sèche sèches secs`,
  sugarFree: `light zéro`,
  prepositions: `de du des d au aux à l la`,
  ignored: `le la les l j ai mangé bu pour petit-déjeuner déjeuner dîner goûter collation matin midi soir hier aujourd hui environ à peu près un peu
    cuit cuite cuits cuites grillé grillée grillés grillées rôti rôtie rôtis rôties poêlé poêlée poêlés sauté sautée sautés frit frite frits bouilli vapeur nature frais fraîche fraîches maison fait bio léger légère allégé allégée chaud chaude froid froide
    noir blanc rouge vert verte jaune brun complet fumé fumée râpé râpée haché hachée mixte fort doux douce sucré sucrée salé salée végétarien végétarienne végétal végétale pané panée gratiné gratinée beurré farci
    mon ma mes son ce cette j'ai en quelque très bien bon bonne gras grasse c soupe `,
  composites: `sandwich=bread_french salade=lettuce omelette=omelette pâtes=pasta tartine=toast_white wrap=tortilla_flour burger=burger_bun panini=bread_french bagel=bagel`,
};
