// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibDiamond} from "../../contracts/libraries/LibDiamond.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ExactToken} from "./support/ExactToken.sol";
import {NextFacet} from "./support/NextFacet.sol";
import {ProofBase} from "./support/ProofBase.sol";

/// @notice Properties of the selector table: the code that serves a function, and who can change it.
/// @dev "Any cut" has one part with one selector: any facet and any selector to add or replace, any selector that some facet
///      exports to remove (`diamondCut.t.sol` shows that others are refused). A cut of more parts repeats this part by part.
///      One later facet is approved besides those of the release.
contract CutsProofs is ProofBase {
    function setUp() public override {
        super.setUp();
        new ExactToken();
        vm.prank(ROOT);
        approve(nextFacet);
        vm.warp(NOW + APPROVAL_DELAY);
    }

    /// @notice Only upgraders and root cut: for everybody else both functions revert.
    /// @dev For any caller without the role who is not root, and any arguments within the bounds of any cut.
    function check_strangers_never_cut(address caller, IDiamondCut.FacetCut[] memory cuts, bytes32 loupeHash) public {
        vm.assume(caller != ROOT && !hasRole(Roles.UPGRADER, caller));
        vm.prank(caller);
        (bool ok,) = diamond.call(abi.encodeCall(IDiamondCut.diamondCut, (cuts, address(0), "")));
        assert(!ok);
        vm.prank(caller);
        (ok,) = diamond.call(abi.encodeCall(IDiamondCut.diamondCutChecked, (cuts, address(0), "", loupeHash)));
        assert(!ok);
    }

    /// @notice A cut adds approved code only: a facet that newly serves a function is approved at this moment with its
    ///         present code, and exports this function. Cut and loupe are always served.
    /// @dev For root and upgraders, any cut by both functions, and any function that is inspected afterwards.
    function check_cut_brings_in_approved_pairs_only(
        bool byRoot,
        bool checked,
        address facet,
        uint8 action,
        bytes4 selector,
        bytes4 watched
    ) public {
        address served = facetOf(watched);
        bool ok = cut(byRoot ? ROOT : UPGRADER, 0, checked, facet, action, selector);
        address serves = facetOf(watched);
        assert(ok || serves == served);
        if (serves == served) return;
        assert(watched == selector);
        if (serves == address(0)) {
            assert(!LibDiamond.includes(LibDiamond.protectedSelectors(), watched));
        } else {
            (uint64 since, bool revoked) = registry.approval(serves, serves.codehash);
            assert(since != 0 && since <= block.timestamp && !revoked);
            assert(LibDiamond.includes(IFacet(serves).exportSelectors(), watched));
        }
    }

    /// @notice A cut changes no deal and not the diamond's registry, and neither takes nor moves coins.
    /// @dev For root and upgraders, any cut by both functions with any coins, any word of any deal, any balance.
    function check_cut_writes_no_deal(
        bool byRoot,
        bool checked,
        uint256 value,
        address facet,
        uint8 action,
        bytes4 selector,
        uint256 dealId,
        bytes32 word,
        uint96 held
    ) public {
        setWord(dealId, word);
        vm.deal(diamond, held);
        bytes32 head = tableHead();
        cut(byRoot ? ROOT : UPGRADER, value, checked, facet, action, selector);
        assert(wordOf(dealId) == word);
        assert(diamond.balance == held);
        assert(address(uint160(uint256(tableHead()))) == address(uint160(uint256(head))));
    }

    /// @notice A cut runs no code: with an `_init` or call data it reverts for every caller.
    /// @dev For any caller, any `_init`, and 0 or 32 bytes of call data, in both functions, of an otherwise good cut.
    function check_cut_runs_no_init(address caller, address init, bytes memory data, bytes32 loupeHash) public {
        vm.assume(init != address(0) || data.length != 0);
        IDiamondCut.FacetCut[] memory cuts = oneCut(nextFacet, 0, NextFacet.later.selector);
        vm.prank(caller);
        (bool ok,) = diamond.call(abi.encodeCall(IDiamondCut.diamondCut, (cuts, init, data)));
        assert(!ok);
        vm.prank(caller);
        (ok,) = diamond.call(abi.encodeCall(IDiamondCut.diamondCutChecked, (cuts, init, data, loupeHash)));
        assert(!ok);
    }

    /// @notice The functions of deals never write the selector table: the facets' storage does not overlap.
    /// @dev For any call (see Deals.t.sol), any function that is inspected afterwards, and any state of one deal.
    function check_deals_write_no_selector(address caller, uint256 value, uint256 dealId, bytes32 word, bytes4 watched)
        public
    {
        setWord(dealId, word);
        bytes32 head = tableHead();
        bytes32 entry = entryOf(watched);
        callDeals(caller, value);
        assert(tableHead() == head);
        assert(entryOf(watched) == entry);
    }

    /// @notice A facet that is not yet effective, was revoked, or has other code than the approved one cannot be cut
    ///         in, neither to add nor to replace a function.
    /// @dev For root and upgraders, an otherwise good facet, a function of it that is added or replaced, by both
    ///      functions, any time, and whether it was revoked or its code is gone.
    function check_unready_facet_is_refused(
        bool byRoot,
        bool checked,
        bool replaced,
        uint64 time,
        bool revoked,
        bool gone
    ) public {
        vm.warp(time);
        if (revoked) {
            bytes32 codeHash = nextFacet.codehash;
            vm.prank(GUARDIAN);
            registry.revokeFacet(nextFacet, codeHash);
        }
        if (gone) vm.etch(nextFacet, loupeFacet.code);
        bool ok = bringIn(byRoot, checked, nextFacet, replaced);
        assert(ok == (time >= NOW + APPROVAL_DELAY && !revoked && !gone));
    }

    /// @notice An approval is for code at an address: a cut and a release refuse the same code at another address.
    /// @dev For root and upgraders, any time, and a copy of an approved facet, in a cut by both functions and in a release.
    function check_copy_of_approved_code_is_refused(bool byRoot, bool checked, bool replaced, uint64 time) public {
        address copy = address(new NextFacet());
        assert(copy.codehash == nextFacet.codehash);
        vm.warp(time);
        assert(!bringIn(byRoot, checked, copy, replaced));
        address[] memory facets = new address[](3);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, copy);
        vm.prank(ROOT);
        (bool ok,) = address(registry).call(abi.encodeCall(IRegistry.setRelease, ("2.0.0", facets)));
        assert(!ok);
    }

    /// @notice A facet that is called directly, not through a diamond, does nothing but describe itself.
    /// @dev For any call with any coins of any function that is no view (cuts of one part and one selector), or of an unknown
    ///      one, at the own address of each facet of the release.
    function check_facet_alone_does_nothing(address caller, uint256 value, uint8 which) public {
        vm.assume(which < 3);
        address facet = which == 0 ? cutFacet : which == 1 ? loupeFacet : dealFacet;
        bytes memory data = svm.createCalldata("WholeDiamond", false);
        vm.deal(caller, value);
        vm.prank(caller);
        (bool ok,) = facet.call{value: value}(data);
        bytes4 selector = bytes4(data);
        bool describes = selector == IFacet.exportSelectors.selector || selector == IFacet.facetName.selector
            || selector == IFacet.facetVersion.selector;
        assert(!ok || (describes && value == 0));
    }

    /// @dev Adds the later facet's new function, or replaces the existing one.
    function bringIn(bool byRoot, bool checked, address facet, bool replaced) internal returns (bool) {
        uint8 action = uint8(replaced ? IDiamondCut.FacetCutAction.Replace : IDiamondCut.FacetCutAction.Add);
        bytes4 selector = replaced ? IDealFacet.sweep.selector : NextFacet.later.selector;
        return cut(byRoot ? ROOT : UPGRADER, 0, checked, facet, action, selector);
    }
}
