// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "../../contracts/Diamond.sol";
import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IERC165} from "../../contracts/interfaces/IERC165.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ExtraFacet, ExtraFacetTwo, WordFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice A cheat code that this version of forge-std has no function for.
interface ICool {
    function cool(address target) external;
}

contract DiamondCutTest is CaratTest {
    IDiamondCut.FacetCutAction internal constant ADD = IDiamondCut.FacetCutAction.Add;
    IDiamondCut.FacetCutAction internal constant REPLACE = IDiamondCut.FacetCutAction.Replace;
    IDiamondCut.FacetCutAction internal constant REMOVE = IDiamondCut.FacetCutAction.Remove;

    ExtraFacet internal extra;
    bytes4[] internal extraSelectors;

    function setUp() public override {
        super.setUp();
        extra = ExtraFacet(shared(address(new ExtraFacet())));
        extraSelectors = extra.exportSelectors();
        approve(address(extra));
    }

    function cut(IDiamondCut.FacetCut[] memory cuts) internal {
        vm.prank(upgrader);
        cutter.diamondCut(cuts, address(0), "");
    }

    function expectRefused(IDiamondCut.FacetCut[] memory cuts, bytes memory reason) internal {
        bytes32 beforehand = loupeHash();
        vm.expectRevert(reason);
        vm.prank(upgrader);
        cutter.diamondCut(cuts, address(0), "");
        assertEq(loupeHash(), beforehand);
    }

    function loupeHash() internal view returns (bytes32) {
        return keccak256(abi.encode(loupe.facets()));
    }

    function test_reverts_when_caller_is_no_upgrader() public {
        address[6] memory callers = [operator, guardian, buyer, payee, stranger, address(batcher)];
        IDiamondCut.FacetCut[] memory cuts = cutOf(address(extra), ADD, extraSelectors);
        bytes32 hash = loupeHash();
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDiamondCut.NotUpgrader.selector, callers[i]));
            vm.prank(callers[i]);
            cutter.diamondCut(cuts, address(0), "");
            vm.expectRevert(abi.encodeWithSelector(IDiamondCut.NotUpgrader.selector, callers[i]));
            vm.prank(callers[i]);
            cutter.diamondCutChecked(cuts, address(0), "", hash);
        }
    }

    function test_reverts_when_upgrader_was_revoked() public {
        vm.prank(guardian);
        registry.setRole(Roles.UPGRADER, upgrader, false);
        expectRefused(
            cutOf(address(extra), ADD, extraSelectors),
            abi.encodeWithSelector(IDiamondCut.NotUpgrader.selector, upgrader)
        );
    }

    function test_root_may_cut() public {
        vm.prank(root);
        cutter.diamondCut(cutOf(address(extra), ADD, extraSelectors), address(0), "");
        assertEq(ExtraFacet(diamond).extra(), 42);
    }

    function test_adds() public {
        IDiamondCut.FacetCut[] memory cuts = cutOf(address(extra), ADD, extraSelectors);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDiamondCut.DiamondCut(cuts, address(0), "");
        cut(cuts);
        assertEq(ExtraFacet(diamond).extra(), 42);
        assertEq(ExtraFacet(diamond).extraAddress(), diamond);
        assertEq(loupe.facetAddress(extraSelectors[0]), address(extra));
        bytes4[] memory told = loupe.facetFunctionSelectors(address(extra));
        assertEq(told.length, 2);
        assertTrue(told[0] == extraSelectors[1] && told[1] == extraSelectors[0], "the newest first");
        assertEq(loupe.facetAddresses().length, 5);
    }

    function test_add_reverts_when_selector_is_there() public {
        cut(cutOf(address(extra), ADD, extraSelectors));
        expectRefused(
            cutOf(address(extra), ADD, extraSelectors[1]),
            abi.encodeWithSelector(IDiamondCut.SelectorExists.selector, extraSelectors[1], address(extra))
        );
    }

    function test_add_reverts_when_a_selector_comes_twice() public {
        bytes4[] memory twice = new bytes4[](2);
        (twice[0], twice[1]) = (extraSelectors[0], extraSelectors[0]);
        expectRefused(
            cutOf(address(extra), ADD, twice),
            abi.encodeWithSelector(IDiamondCut.SelectorExists.selector, twice[0], address(extra))
        );
    }

    function test_reverts_when_there_are_no_selectors() public {
        bytes4[] memory none = new bytes4[](0);
        bytes memory reason = abi.encodeWithSelector(IDiamondCut.NoSelectors.selector, address(extra));
        expectRefused(cutOf(address(extra), ADD, none), reason);
        expectRefused(cutOf(address(extra), REPLACE, none), reason);
        expectRefused(
            cutOf(address(0), REMOVE, none), abi.encodeWithSelector(IDiamondCut.NoSelectors.selector, address(0))
        );
    }

    function test_reverts_when_facet_is_not_approved() public {
        address foreign = shared(address(new ExtraFacetTwo()));
        bytes memory reason = abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, foreign, foreign.codehash);
        expectRefused(cutOf(foreign, ADD, extraSelectors), reason);
        expectRefused(cutOf(foreign, REPLACE, IDealFacet.dealWords.selector), reason);
        address empty = makeAddr("empty");
        expectRefused(
            cutOf(empty, ADD, extraSelectors),
            abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, empty, empty.codehash)
        );
    }

    function test_reverts_until_the_approval_is_effective() public {
        ExtraFacetTwo later = ExtraFacetTwo(shared(address(new ExtraFacetTwo())));
        vm.prank(root);
        registry.approveFacets(approvalOf(address(later)));
        skip(APPROVAL_DELAY - 1);
        expectRefused(
            cutOf(address(later), ADD, extraSelectors),
            abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, address(later), address(later).codehash)
        );
        skip(1);
        cut(cutOf(address(later), ADD, extraSelectors));
        assertEq(loupe.facetAddress(extraSelectors[0]), address(later));
    }

    function test_reverts_when_facet_was_revoked() public {
        vm.prank(guardian);
        registry.revokeFacet(address(extra), address(extra).codehash);
        expectRefused(
            cutOf(address(extra), ADD, extraSelectors),
            abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, address(extra), address(extra).codehash)
        );
    }

    /// @dev With the hash alone, whoever can put other code at the copy's address later would own the diamond.
    function test_reverts_for_approved_code_at_another_address() public {
        bytes32 salt = bytes32("copy");
        address copy = sharedAt(address(extra), salt);
        assertEq(copy.codehash, address(extra).codehash);
        bytes memory reason = abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, copy, copy.codehash);
        expectRefused(cutOf(copy, ADD, extraSelectors), reason);
        approve(copy, salt);
        cut(cutOf(copy, ADD, extraSelectors));
        assertEq(loupe.facetAddress(extraSelectors[0]), copy);
    }

    function test_reverts_when_the_code_at_an_approved_address_is_another() public {
        bytes[2] memory codes = [bytes(""), dealFacet.code];
        for (uint256 i; i < codes.length; ++i) {
            vm.etch(address(extra), codes[i]);
            bytes memory reason =
                abi.encodeWithSelector(IDiamondCut.FacetNotApproved.selector, address(extra), address(extra).codehash);
            expectRefused(cutOf(address(extra), ADD, extraSelectors), reason);
            expectRefused(cutOf(address(extra), REPLACE, IDealFacet.sweep.selector), reason);
        }
    }

    /// @dev Without this an upgrader could send `diamondCut` to a facet that lacks it, and nobody could cut again.
    function test_reverts_when_facet_does_not_export_the_selector() public {
        bytes4[9] memory selectors = [
            IDiamondCut.diamondCut.selector,
            IDiamondLoupe.facets.selector,
            IERC165.supportsInterface.selector,
            IDealFacet.payToken.selector,
            IFacet.exportSelectors.selector,
            IFacet.facetName.selector,
            IFacet.facetVersion.selector,
            ExtraFacetTwo.addedLater.selector,
            bytes4(0)
        ];
        for (uint256 i; i < selectors.length; ++i) {
            bytes memory reason =
                abi.encodeWithSelector(IDiamondCut.SelectorNotExported.selector, address(extra), selectors[i]);
            expectRefused(cutOf(address(extra), ADD, selectors[i]), reason);
            expectRefused(cutOf(address(extra), REPLACE, selectors[i]), reason);
        }
    }

    function test_facets_own_words_never_get_into_a_diamond() public {
        address[3] memory facets = [cutFacet, loupeFacet, dealFacet];
        bytes4[3] memory selectors =
            [IFacet.exportSelectors.selector, IFacet.facetName.selector, IFacet.facetVersion.selector];
        for (uint256 i; i < facets.length; ++i) {
            for (uint256 j; j < selectors.length; ++j) {
                expectRefused(
                    cutOf(facets[i], ADD, selectors[j]),
                    abi.encodeWithSelector(IDiamondCut.SelectorNotExported.selector, facets[i], selectors[j])
                );
            }
        }
    }

    function test_replaces_and_keeps_the_deals() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes32 held = wordOf(ID);
        WordFacet later = WordFacet(shared(address(new WordFacet())));
        approve(address(later));
        cut(cutOf(address(later), REPLACE, later.exportSelectors()));
        assertEq(loupe.facetAddress(IDealFacet.dealWords.selector), address(later));
        assertEq(wordOf(ID), held);
        assertEq(loupe.facetFunctionSelectors(dealFacet).length, 8);
    }

    function test_thousand_deals_outlive_an_upgrade() public {
        vm.startPrank(operator);
        for (uint256 i; i < 10; ++i) {
            deals.createDeals(someKeys(1 + i * 100, 100));
        }
        vm.stopPrank();
        uint256[] memory ids = new uint256[](1000);
        for (uint256 i; i < ids.length; ++i) {
            ids[i] = i + 1;
        }
        bytes32 beforehand = keccak256(abi.encode(deals.dealWords(ids)));
        WordFacet later = WordFacet(shared(address(new WordFacet())));
        approve(address(later));
        cut(cutOf(address(later), REPLACE, later.exportSelectors()));
        cut(cutOf(address(extra), ADD, extraSelectors));
        assertEq(keccak256(abi.encode(deals.dealWords(ids))), beforehand);
        for (uint256 i; i < ids.length; ++i) {
            assertEq(wordOf(ids[i]), word(keccak256(abi.encode("terms", ids[i])), 1));
        }
    }

    function test_replace_reverts_when_selector_is_unknown_or_there_already() public {
        expectRefused(
            cutOf(address(extra), REPLACE, extraSelectors[0]),
            abi.encodeWithSelector(IDiamondCut.SelectorUnknown.selector, extraSelectors[0])
        );
        expectRefused(
            cutOf(dealFacet, REPLACE, IDealFacet.dealWords.selector),
            abi.encodeWithSelector(IDiamondCut.SelectorUnchanged.selector, IDealFacet.dealWords.selector, dealFacet)
        );
    }

    function test_cut_and_loupe_can_be_replaced() public {
        bytes32 salt = bytes32("later");
        address later = sharedAt(cutFacet, salt);
        approve(later, salt);
        cut(cutOf(later, REPLACE, IFacet(cutFacet).exportSelectors()));
        assertEq(loupe.facetAddress(IDiamondCut.diamondCut.selector), later);
        cut(cutOf(address(extra), ADD, extraSelectors));
        assertEq(ExtraFacet(diamond).extra(), 42);
    }

    function test_removes() public {
        cut(cutOf(address(extra), ADD, extraSelectors));
        cut(cutOf(address(0), REMOVE, extraSelectors));
        assertEq(loupe.facetAddress(extraSelectors[0]), address(0));
        assertEq(loupe.facetAddresses().length, 4);
        vm.expectRevert(abi.encodeWithSelector(Diamond.FunctionNotFound.selector, extraSelectors[0]));
        ExtraFacet(diamond).extra();
    }

    function test_remove_in_the_middle_keeps_the_rest() public {
        cut(cutOf(address(0), REMOVE, IDealFacet.createDeals.selector));
        assertEq(loupe.facetFunctionSelectors(dealFacet).length, 8);
        assertEq(loupe.facetAddress(IDealFacet.cancelDeals.selector), dealFacet);
        assertEq(loupe.facetAddress(IDealFacet.sweep.selector), dealFacet);
        cut(cutOf(address(0), REMOVE, IDealFacet.sweep.selector));
        cut(cutOf(dealFacet, ADD, IDealFacet.createDeals.selector));
        open(tokenDeal());
        assertEq(loupe.facetAddress(IDealFacet.sweep.selector), address(0));
    }

    function test_remove_reverts_for_cut_and_loupe() public {
        bytes4[7] memory selectors = [
            IDiamondCut.diamondCut.selector,
            IDiamondCut.diamondCutChecked.selector,
            IDiamondLoupe.facets.selector,
            IDiamondLoupe.facetFunctionSelectors.selector,
            IDiamondLoupe.facetAddresses.selector,
            IDiamondLoupe.facetAddress.selector,
            IERC165.supportsInterface.selector
        ];
        for (uint256 i; i < selectors.length; ++i) {
            bytes memory reason = abi.encodeWithSelector(IDiamondCut.SelectorProtected.selector, selectors[i]);
            expectRefused(cutOf(address(0), REMOVE, selectors[i]), reason);
            vm.prank(root);
            vm.expectRevert(reason);
            cutter.diamondCut(cutOf(address(0), REMOVE, selectors[i]), address(0), "");
        }
    }

    function test_remove_reverts_when_unknown_or_with_a_facet() public {
        expectRefused(
            cutOf(address(0), REMOVE, extraSelectors[0]),
            abi.encodeWithSelector(IDiamondCut.SelectorUnknown.selector, extraSelectors[0])
        );
        expectRefused(
            cutOf(dealFacet, REMOVE, IDealFacet.sweep.selector),
            abi.encodeWithSelector(IDiamondCut.RemoveNeedsZeroFacet.selector, dealFacet)
        );
    }

    function test_one_bad_part_undoes_the_whole_cut() public {
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](2);
        cuts[0] = IDiamondCut.FacetCut(address(extra), ADD, extraSelectors);
        cuts[1] = cutOf(address(0), REMOVE, IDiamondCut.diamondCut.selector)[0];
        expectRefused(
            cuts, abi.encodeWithSelector(IDiamondCut.SelectorProtected.selector, IDiamondCut.diamondCut.selector)
        );
    }

    function test_unknown_action_reverts() public {
        bytes memory data =
            abi.encodeCall(IDiamondCut.diamondCut, (cutOf(address(extra), REMOVE, extraSelectors), address(0), ""));
        // The action is the second word of the only cut: selector, 3 heads, length, offset, facet, action.
        data[4 + 32 * 7 - 1] = bytes1(uint8(3));
        vm.prank(upgrader);
        (bool ok,) = diamond.call(data);
        assertFalse(ok);
    }

    /// @dev Whoever asks and whatever is named: a cut runs no code but its own.
    function test_reverts_with_an_init() public {
        address[5] memory inits = [address(extra), dealFacet, diamond, stranger, address(0)];
        address[2] memory callers = [root, upgrader];
        bytes32 seen = loupeHash();
        IDiamondCut.FacetCut[] memory cuts = cutOf(address(extra), ADD, extraSelectors);
        for (uint256 i; i < inits.length; ++i) {
            for (uint256 j; j < callers.length; ++j) {
                // Zero is refused for its data.
                bytes memory data = i % 2 == 0 ? bytes(hex"00") : bytes("");
                vm.expectRevert(abi.encodeWithSelector(IDiamondCut.InitRefused.selector, inits[i]));
                vm.prank(callers[j]);
                cutter.diamondCut(cuts, inits[i], data);
                vm.expectRevert(abi.encodeWithSelector(IDiamondCut.InitRefused.selector, inits[i]));
                vm.prank(callers[j]);
                cutter.diamondCutChecked(cuts, inits[i], data, seen);
            }
        }
        assertEq(loupeHash(), seen);
    }

    function test_checked_cut_reverts_when_the_loupe_changed() public {
        bytes32 seen = loupeHash();
        vm.prank(upgrader);
        cutter.diamondCutChecked(cutOf(address(extra), ADD, extraSelectors[0]), address(0), "", seen);
        assertEq(ExtraFacet(diamond).extra(), 42);
        bytes32 actual = loupeHash();
        vm.expectRevert(abi.encodeWithSelector(IDiamondCut.StaleLoupe.selector, seen, actual));
        vm.prank(upgrader);
        cutter.diamondCutChecked(cutOf(address(extra), ADD, extraSelectors[1]), address(0), "", seen);
    }

    function test_checked_hash_is_the_hash_of_the_returned_bytes() public {
        (, bytes memory returned) = diamond.staticcall(abi.encodeCall(IDiamondLoupe.facets, ()));
        vm.prank(upgrader);
        cutter.diamondCutChecked(cutOf(address(extra), ADD, extraSelectors), address(0), "", keccak256(returned));
        assertEq(ExtraFacet(diamond).extra(), 42);
    }

    function test_works_while_paused() public {
        pause();
        cut(cutOf(address(extra), ADD, extraSelectors));
        assertEq(ExtraFacet(diamond).extra(), 42);
    }

    function test_facet_itself_can_not_be_cut() public {
        vm.expectRevert();
        vm.prank(root);
        IDiamondCut(cutFacet).diamondCut(cutOf(address(extra), ADD, extraSelectors), address(0), "");
    }

    function test_supports_the_interfaces_of_a_diamond() public view {
        IERC165 erc165 = IERC165(diamond);
        assertTrue(erc165.supportsInterface(0x01ffc9a7));
        assertTrue(erc165.supportsInterface(0x1f931c1c));
        assertTrue(erc165.supportsInterface(0x48e2b093));
        assertTrue(erc165.supportsInterface(type(IDealFacet).interfaceId));
        assertFalse(erc165.supportsInterface(0xffffffff));
    }

    function test_supports_deals_only_while_every_function_of_deals_is_served() public {
        IERC165 erc165 = IERC165(diamond);
        bytes4[9] memory functions = [
            IDealFacet.createDeals.selector,
            IDealFacet.cancelDeals.selector,
            IDealFacet.payToken.selector,
            IDealFacet.payNative.selector,
            IDealFacet.payTokenWithPermit.selector,
            IDealFacet.dealWords.selector,
            IDealFacet.termsHash.selector,
            IDealFacet.registry.selector,
            IDealFacet.sweep.selector
        ];
        bytes4 id;
        for (uint256 i; i < functions.length; ++i) {
            id ^= functions[i];
            bytes4[] memory one = new bytes4[](1);
            one[0] = functions[i];
            address facet = loupe.facetAddress(one[0]);
            cut(cutOf(address(0), REMOVE, one));
            assertFalse(erc165.supportsInterface(type(IDealFacet).interfaceId));
            cut(cutOf(facet, ADD, one));
            assertTrue(erc165.supportsInterface(type(IDealFacet).interfaceId));
        }
        // No function of the interface is missing above.
        assertEq(id, type(IDealFacet).interfaceId);
    }

    function test_supports_interface_within_the_gas_of_erc165() public {
        bytes4[4] memory ids = [bytes4(0x01ffc9a7), 0x1f931c1c, 0x48e2b093, type(IDealFacet).interfaceId];
        for (uint256 i; i < ids.length; ++i) {
            address facet = loupe.facetAddress(IERC165.supportsInterface.selector);
            // What a transaction has touched before costs less.
            ICool(address(vm)).cool(facet);
            ICool(address(vm)).cool(diamond);
            (bool ok, bytes memory answer) =
                diamond.staticcall{gas: 30_000}(abi.encodeCall(IERC165.supportsInterface, (ids[i])));
            assertTrue(ok && abi.decode(answer, (bool)));
        }
    }
}
