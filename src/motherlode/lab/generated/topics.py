"""The topic tree of generated webs: a path, and the branch of WordNet 3.0 (an offset into its
nouns).

A small web has the first few, a large one all of them; so the first are spread over the tree.
"""

TOPICS = {
    "Animals/Birds/Songbirds": "01524359",
    "Music/Instruments": "03800933",
    "Plants/Trees": "13104059",
    "Health/Diseases": "14070360",
    "Animals/Birds/Water birds": "01844917",
    "Food/Drinks": "07881800",
    "Transport/Ships and boats": "04530566",
    "Earth/Minerals": "14662574",
    "Animals/Insects": "02159955",
    "Plants/Flowers": "11669921",
    "Food/Dishes": "07557434",
    "Health/Medicines": "03740161",
    "Animals/Fish": "02512053",
    "Dress/Garments": "03419014",
    "Transport/Road vehicles": "04576211",
    "Sport": "00523513",
    "Animals/Birds/Birds of prey": "01604330",
    "Plants/Fungi": "12992868",
    "Music/Genres": "07071942",
    "Buildings": "02913152",
    "Languages": "06904171",
    "Money": "13604718",
    "Animals/Mammals/Dogs": "02084071",
    "Earth/Elements": "14622893",
    "Tools": "04451818",
    "Weapons": "04565375",
    "Animals/Snakes": "01726692",
    "Furniture": "03405725",
    "Dress/Fabrics": "03309808",
    "Dance": "00428270",
    "Sky": "09239740",
    "Crime": "00766234",
    "Religion": "05946687",
    "Food/Fruit": "07705931",
    "Animals/Mammals/Horses": "02374451",
    "Transport/Aircraft": "02686568",
}
