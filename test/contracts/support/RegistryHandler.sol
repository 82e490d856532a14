// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {Registry} from "../../../contracts/Registry.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {IFacet} from "../../../contracts/interfaces/IFacet.sol";
import {IRegistry} from "../../../contracts/interfaces/IRegistry.sol";
import {LibDiamond} from "../../../contracts/libraries/LibDiamond.sol";
import {Roles} from "../../../contracts/libraries/Roles.sol";
import {SelectorModel} from "./SelectorTable.sol";

/// @notice Does to a registry and to the selectors of its diamonds what root, guardians, upgraders and thieves may try,
///         in any order. It keeps books of its own of roles, approvals and selectors, foretells by them whether each step
///         works, and fails where the contracts see it otherwise.
contract RegistryHandler is Test {
    struct Book {
        uint256 since;
        bool revoked;
    }

    Registry internal immutable registry;
    address internal immutable diamond;
    uint256 internal immutable delay;
    address internal immutable thief = makeAddr("thief");
    SelectorModel internal immutable model = new SelectorModel();

    address[2] internal roots;
    address[] internal people;
    /// @dev Three of the release, another deal facet, the release's facet of offers, and three lists of selectors of which the
    ///      last is never proposed.
    IRegistry.FacetApproval[] internal facets;
    mapping(address facet => bytes4[]) internal exported;
    mapping(address facet => mapping(bytes32 codeHash => Book)) internal books;
    mapping(bytes32 role => mapping(address account => bool)) internal has;
    address[] internal release;
    bytes32[] internal releaseCode;
    bool internal releaseUsable = true;

    address[] public created;
    mapping(address diamond => bytes32) public bornWith;
    mapping(address facet => bool) public cutTo;
    mapping(bytes32 step => uint256) public done;

    constructor(
        Registry registry_,
        address diamond_,
        address[] memory people_,
        IRegistry.FacetApproval[] memory facets_
    ) {
        (registry, diamond, people, delay) = (registry_, diamond_, people_, registry_.approvalDelay());
        roots = [registry_.root(), makeAddr("second root")];
        for (uint256 i; i < facets_.length; ++i) {
            address facet = facets_[i].facet;
            facets.push(facets_[i]);
            exported[facet] = IFacet(facet).exportSelectors();
            (books[facet][facets_[i].codeHash].since,) = registry_.approval(facet, facets_[i].codeHash);
        }
        for (uint256 i; i < 3; ++i) {
            join(facets_[i]);
        }
        join(facets_[4]);
        bytes32[4] memory roles = [Roles.OPERATOR, Roles.UPGRADER, Roles.GUARDIAN, Roles.SIGNER];
        for (uint256 i; i < people_.length; ++i) {
            for (uint256 j; j < roles.length; ++j) {
                (has[roles[j]][people_[i]],) = registry_.roleState(roles[j], people_[i]);
            }
        }
    }

    function join(IRegistry.FacetApproval memory one) internal {
        release.push(one.facet);
        releaseCode.push(one.codeHash);
        cutTo[one.facet] = true;
        model.add(one.facet, exported[one.facet]);
    }

    /// @dev Roles are given more often than taken, so that the others have something to do.
    function setRole(uint256 seed, bool asRoot) external {
        bytes32 role = [Roles.OPERATOR, Roles.UPGRADER, Roles.GUARDIAN, Roles.SIGNER, bytes32("later")][seed % 5];
        address account = people[(seed >> 8) % people.length];
        address caller = asRoot ? root() : people[(seed >> 16) % people.length];
        bool enable = (seed >> 24) % 4 != 0;
        bool expected = asRoot || (!enable && role != Roles.GUARDIAN && has[Roles.GUARDIAN][caller]);
        attempt(caller, abi.encodeCall(IRegistry.setRole, (role, account, enable)), expected, "setRole");
        if (expected) has[role][account] = enable;
        (bool enabled,) = registry.roleState(role, account);
        assertEq(enabled, has[role][account]);
    }

    function setPaused(uint256 seed, bool asRoot) external {
        bool pause = seed % 4 == 0;
        address caller = asRoot ? root() : people[(seed >> 8) % people.length];
        bool expected = asRoot || (pause && has[Roles.GUARDIAN][caller]);
        attempt(caller, abi.encodeCall(IRegistry.setPaused, (pause)), expected, "setPaused");
    }

    function moveRoot() external {
        address next = root() == roots[0] ? roots[1] : roots[0];
        attempt(next, abi.encodeCall(IRegistry.acceptRoot, ()), false, "");
        attempt(root(), abi.encodeCall(IRegistry.transferRoot, (next)), true, "");
        attempt(next, abi.encodeCall(IRegistry.acceptRoot, ()), true, "moveRoot");
        assertEq(root(), next);
    }

    /// @dev The last one is never proposed.
    function propose(uint256 seed) external {
        IRegistry.FacetApproval[] memory list = new IRegistry.FacetApproval[](1);
        list[0] = facets[seed % (facets.length - 1)];
        Book storage book = books[list[0].facet][list[0].codeHash];
        bool expected = !book.revoked && list[0].facet.codehash == list[0].codeHash;
        attempt(root(), abi.encodeCall(IRegistry.approveFacets, (list)), expected, "propose");
        if (expected && book.since == 0) book.since = block.timestamp + delay;
    }

    /// @dev Mostly by those who may not, because what is revoked is gone for the rest of the run.
    function revoke(uint256 seed) external {
        IRegistry.FacetApproval memory one = facets[seed % facets.length];
        Book storage book = books[one.facet][one.codeHash];
        address caller = (seed >> 8) % 16 == 0 ? root() : people[(seed >> 16) % people.length];
        bool may = caller == root() || has[Roles.GUARDIAN][caller];
        if (may && caller != root() && (seed >> 24) % 8 != 0) return;
        bool expected = may && book.since != 0;
        attempt(caller, abi.encodeCall(IRegistry.revokeFacet, (one.facet, one.codeHash)), expected, "revoke");
        if (!expected) return;
        if (!book.revoked && includes(release, one.facet)) releaseUsable = false;
        book.revoked = true;
    }

    function setRelease(uint256 seed) external {
        bool longer = seed % 2 == 0;
        address[] memory list = new address[](longer ? 4 : 3);
        (list[0], list[1]) = (facets[0].facet, facets[1].facet);
        list[2] = facets[2 + (seed >> 8) % 2].facet;
        if (longer) list[3] = facets[4 + (seed >> 16) % (facets.length - 4)].facet;
        bool expected = true;
        for (uint256 i; i < list.length; ++i) {
            expected = expected && usable(list[i]);
        }
        attempt(root(), abi.encodeCall(IRegistry.setRelease, ("any", list)), expected, "setRelease");
        if (!expected) return;
        (release, releaseUsable) = (list, true);
        delete releaseCode;
        for (uint256 i; i < list.length; ++i) {
            releaseCode.push(list[i].codehash);
            cutTo[list[i]] = true;
        }
    }

    function createDiamond(uint256 seed) external {
        (bytes16 nodeId, bytes16 walletId) = (bytes16(uint128(seed % 4)), bytes16(uint128((seed >> 8) % 4)));
        address where = registry.diamondAddress(nodeId, walletId);
        bool there = where.code.length != 0;
        bool expected = nodeId != 0 && walletId != 0 && (there || releaseIsUsable());
        address caller = (seed >> 16) % 2 == 0 ? thief : people[0];
        attempt(caller, abi.encodeCall(IRegistry.createDiamond, (nodeId, walletId)), expected, "createDiamond");
        if (!expected || there) return;
        created.push(where);
        SelectorModel table = new SelectorModel();
        for (uint256 i; i < release.length; ++i) {
            table.add(release[i], exported[release[i]]);
        }
        bornWith[where] = keccak256(abi.encode(table.facets()));
        (bytes16 node, bytes16 wallet) = registry.diamondKey(where);
        assertTrue(node == nodeId && wallet == walletId);
    }

    /// @dev Any action with up to three selectors, mostly some of what the facet exports.
    function cut(uint256 seed, uint256 who) external {
        address facet = facets[4 + seed % (facets.length - 4)].facet;
        bytes4[] memory selectors = new bytes4[]((seed >> 8) % 4);
        for (uint256 i; i < selectors.length; ++i) {
            bytes4[] storage own = exported[(seed >> (16 + i)) % 8 == 0 ? facets[(seed >> 24) % 3].facet : facet];
            selectors[i] = own[(seed >> (32 + 8 * i)) % own.length];
        }
        IDiamondCut.FacetCutAction action = IDiamondCut.FacetCutAction((seed >> 64) % 3);
        if (action == IDiamondCut.FacetCutAction.Remove) facet = address(0);
        tryCut(cutter(who), facet, action, selectors);
    }

    /// @dev Functions of deals go to the other deal facet and back; some are removed and come again.
    function swap(uint256 seed, uint256 who) external {
        bytes4[] memory selectors = new bytes4[](1);
        selectors[0] = exported[facets[2].facet][seed % 9];
        address current = IDiamondLoupe(diamond).facetAddress(selectors[0]);
        address other = current == facets[2].facet ? facets[3].facet : facets[2].facet;
        if (current == address(0)) return tryCut(cutter(who), other, IDiamondCut.FacetCutAction.Add, selectors);
        if ((seed >> 8) % 4 != 0) return tryCut(cutter(who), other, IDiamondCut.FacetCutAction.Replace, selectors);
        tryCut(cutter(who), address(0), IDiamondCut.FacetCutAction.Remove, selectors);
    }

    /// @dev What no facet can do that was approved, a fork of the chain may: the code at its address is another.
    function changeCode(uint256 seed) external {
        IRegistry.FacetApproval memory one = facets[4 + seed % (facets.length - 4)];
        bool genuine = one.facet.codehash == one.codeHash;
        vm.etch(one.facet, genuine ? abi.encodePacked(one.facet.code, hex"00") : genuineCode(one.facet.code));
        ++done["changeCode"];
    }

    function steal(uint256 seed) external {
        IRegistry.FacetApproval[] memory list = new IRegistry.FacetApproval[](1);
        list[0] = facets[seed % facets.length];
        bytes[8] memory calls = [
            abi.encodeCall(IRegistry.setRole, (Roles.OPERATOR, thief, true)),
            abi.encodeCall(IRegistry.setRole, (Roles.OPERATOR, people[seed % people.length], false)),
            abi.encodeCall(IRegistry.setPaused, (seed % 2 == 0)),
            abi.encodeCall(IRegistry.approveFacets, (list)),
            abi.encodeCall(IRegistry.revokeFacet, (list[0].facet, list[0].codeHash)),
            abi.encodeCall(IRegistry.setRelease, ("thief's", release)),
            abi.encodeCall(IRegistry.transferRoot, (thief)),
            abi.encodeCall(IRegistry.acceptRoot, ())
        ];
        for (uint256 i; i < calls.length; ++i) {
            attempt(thief, calls[i], false, "");
        }
    }

    function createdCount() external view returns (uint256) {
        return created.length;
    }

    /// @dev The books of the handler and those of the contracts say the same.
    function requireSame() external view {
        for (uint256 i; i < facets.length; ++i) {
            Book storage book = books[facets[i].facet][facets[i].codeHash];
            (uint64 effectiveAt, bool revoked) = registry.approval(facets[i].facet, facets[i].codeHash);
            assertEq(effectiveAt, book.since);
            assertEq(revoked, book.revoked);
            assertEq(registry.isApproved(facets[i].facet), usable(facets[i].facet));
        }
        assertEq(abi.encode(IDiamondLoupe(diamond).facets()), abi.encode(model.facets()));
        requireList();
    }

    /// @dev The list ends after `count` entries, each served by an approved facet that exports it, and has no cycle.
    function requireList() internal view {
        uint256 head = uint256(vm.load(diamond, LibDiamond.SLOT));
        uint256 count = uint16(head >> 192);
        assertEq(count, model.count());
        bytes4 selector = bytes4(uint32(head >> 160));
        for (uint256 i; i < count; ++i) {
            SelectorModel.Row memory row = model.newest(i);
            uint256 entry = uint256(vm.load(diamond, keccak256(abi.encode(selector, uint256(LibDiamond.SLOT) + 1))));
            assertEq(selector, row.selector);
            assertEq(address(uint160(entry)), row.facet);
            assertTrue(cutTo[row.facet]);
            assertTrue(LibDiamond.includes(exported[row.facet], selector));
            selector = bytes4(uint32(entry >> 160));
        }
        assertEq(selector, bytes4(0));
    }

    function tryCut(address caller, address facet, IDiamondCut.FacetCutAction action, bytes4[] memory selectors)
        internal
    {
        bool expected = caller == root() || has[Roles.UPGRADER][caller];
        bool removal = action == IDiamondCut.FacetCutAction.Remove;
        if (!removal) expected = expected && usable(facet);
        bytes4[] memory allowed = removal ? LibDiamond.protectedSelectors() : exported[facet];
        for (uint256 i; i < selectors.length; ++i) {
            expected = expected && LibDiamond.includes(allowed, selectors[i]) != removal;
        }
        if (expected) {
            bytes memory call_ = abi.encodeCall(SelectorModel.add, (facet, selectors));
            if (removal) {
                call_ = abi.encodeCall(SelectorModel.remove, (selectors));
            } else if (action == IDiamondCut.FacetCutAction.Replace) {
                call_ = abi.encodeCall(SelectorModel.replace, (facet, selectors));
            }
            (expected,) = address(model).call(call_);
        }
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](1);
        cuts[0] = IDiamondCut.FacetCut(facet, action, selectors);
        vm.prank(caller);
        (bool ok,) = diamond.call(abi.encodeCall(IDiamondCut.diamondCut, (cuts, address(0), "")));
        assertEq(ok, expected);
        if (!ok) return;
        ++done["cut"];
        if (!removal) cutTo[facet] = true;
    }

    function attempt(address caller, bytes memory call_, bool expected, bytes32 step) internal {
        vm.prank(caller);
        (bool ok,) = address(registry).call(call_);
        assertEq(ok, expected);
        if (ok) ++done[step];
    }

    function cutter(uint256 who) internal view returns (address) {
        return who % 8 == 0 ? thief : who % 8 < 3 ? root() : people[who % people.length];
    }

    function usable(address facet) internal view returns (bool) {
        Book storage book = books[facet][facet.codehash];
        return book.since != 0 && block.timestamp >= book.since && !book.revoked;
    }

    function releaseIsUsable() internal view returns (bool same) {
        same = releaseUsable;
        for (uint256 i; i < release.length; ++i) {
            same = same && release[i].codehash == releaseCode[i];
        }
    }

    function root() internal view returns (address) {
        return registry.root();
    }

    function genuineCode(bytes memory code) internal pure returns (bytes memory) {
        assembly {
            mstore(code, sub(mload(code), 1))
        }
        return code;
    }

    function includes(address[] storage list, address one) internal view returns (bool) {
        for (uint256 i; i < list.length; ++i) {
            if (list[i] == one) return true;
        }
        return false;
    }
}
