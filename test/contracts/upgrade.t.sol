// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IERC165} from "../../contracts/interfaces/IERC165.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {LibFacet} from "../../contracts/libraries/LibFacet.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice A diamond of the first release, made of the very code that was released, cut to this one.
contract UpgradeTest is CaratTest {
    uint256 internal constant LIVE = 1_000;

    address[] internal older;

    function setUp() public override {
        super.setUp();
        string memory manifest = vm.readFile("contracts/releases/1.0.0.json");
        for (uint256 i; i < 3; ++i) {
            string memory path = string.concat(".facets[", vm.toString(i), "]");
            bytes memory code = vm.parseJsonBytes(manifest, string.concat(path, ".runtimeCode"));
            address facet = LibFacet.addressOf(code, SALT);
            assertEq(facet, vm.parseJsonAddress(manifest, string.concat(path, ".address")));
            assertEq(keccak256(code), vm.parseJsonBytes32(manifest, string.concat(path, ".runtimeCodeHash")));
            if (facet.code.length == 0) {
                (bool ok,) = LibFacet.DEPLOYER.call(abi.encodePacked(SALT, LibFacet.creationCode(code)));
                assertTrue(ok);
            }
            older.push(facet);
        }
        vm.startPrank(root);
        registry.approveFacets(approvalsOf(older));
        skip(APPROVAL_DELAY);
        registry.setRelease("1.0.0", older);
        useDiamond(registry.createDiamond(NODE, bytes16(uint128(0x44))));
        registry.setRelease("1.3.0", releaseFacets());
        vm.stopPrank();
        vm.prank(buyer);
        token.approve(diamond, type(uint256).max);
    }

    function upgrade() internal {
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](3);
        IDiamondCut.FacetCutAction replace = IDiamondCut.FacetCutAction.Replace;
        cuts[0] = cutOf(loupeFacet, replace, IFacet(older[1]).exportSelectors())[0];
        cuts[1] = cutOf(dealFacet, replace, IFacet(older[2]).exportSelectors())[0];
        cuts[2] = cutOf(offerFacet, IDiamondCut.FacetCutAction.Add, IFacet(offerFacet).exportSelectors())[0];
        bytes32 expected = keccak256(abi.encode(loupe.facets()));
        vm.prank(upgrader);
        cutter.diamondCutChecked(cuts, address(0), "", expected);
    }

    function test_changes_no_live_deal() public {
        vm.prank(operator);
        deals.createDeals(someKeys(1, LIVE));
        bytes32 before = keccak256(abi.encode(deals.dealWords(idsOf(someKeys(1, LIVE)))));
        upgrade();
        assertEq(keccak256(abi.encode(deals.dealWords(idsOf(someKeys(1, LIVE))))), before);
        assertEq(deals.registry(), address(registry));
        assertEq(loupe.facetAddresses().length, 4);
    }

    function test_deals_from_before_are_paid_and_cancelled_after_it() public {
        (Deal memory paid, Deal memory cancelled) = (tokenDeal(), tokenDeal());
        cancelled.dealId = ID + 1;
        open(paid);
        open(cancelled);
        upgrade();
        vm.prank(buyer);
        deals.payToken(paid);
        cancel(cancelled.dealId);
        assertEq(wordOf(paid.dealId), word(deals.termsHash(paid), LibDeals.PAID));
        assertEq(wordOf(cancelled.dealId), word(deals.termsHash(cancelled), LibDeals.CANCELLED));
        assertEq(token.balanceOf(payee), paid.amount);
    }

    function test_deals_from_before_can_be_paid_by_offers_after_it() public {
        Deal memory deal = tokenDeal();
        open(deal);
        Offer memory offer = offerOf(deal);
        vm.prank(buyer);
        (bool ok,) =
            diamond.call(abi.encodeCall(IOfferFacet.payOfferedToken, (deal, offer.validUntil, offer.r, offer.vs)));
        assertFalse(ok);
        upgrade();
        vm.prank(buyer);
        offers.payOfferedToken(deal, offer.validUntil, offer.r, offer.vs);
        assertEq(wordOf(ID), word(deals.termsHash(deal), LibDeals.PAID));
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_terms_are_hashed_as_before() public {
        bytes32 before = deals.termsHash(nativeDeal());
        upgrade();
        assertEq(deals.termsHash(nativeDeal()), before);
    }

    function test_what_is_new_is_there_only_after_it() public {
        assertFalse(IERC165(diamond).supportsInterface(type(IDealFacet).interfaceId));
        upgrade();
        assertTrue(IERC165(diamond).supportsInterface(type(IDealFacet).interfaceId));
    }
}
